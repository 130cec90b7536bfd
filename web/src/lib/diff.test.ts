import { describe, expect, it } from "vitest";
import { parseDiff } from "./diff";

const DIFF = `@@ -41,3 +41,4 @@
 def bucket_for(request):
-    return request.client.host
+    return request.key.host
+    # done
 end
`;

describe("unified diff", () => {
  it("numbers the lines of both sides", () => {
    const [hunk] = parseDiff(DIFF);
    expect(hunk?.skipped).toBe(40);
    expect(hunk?.rows.map((row) => [row.kind, row.oldLine, row.newLine])).toEqual([
      ["same", 41, 41],
      ["removed", 42, null],
      ["added", null, 42],
      ["added", null, 43],
      ["same", 43, 44],
    ]);
  });

  it("marks the words that changed in a line that was replaced by one line", () => {
    const [hunk] = parseDiff("@@ -1 +1 @@\n-return request.client.host\n+return request.key.host\n");
    expect(hunk?.rows[1]?.pieces).toEqual([
      { text: "return request.", changed: false },
      { text: "key", changed: true },
      { text: ".host", changed: false },
    ]);
  });

  it("keeps every character of each line", () => {
    const [hunk] = parseDiff("@@ -1,2 +1,2 @@\n-a  b\n-- list\n+a\tb\n+-- list\n");
    const text = hunk?.rows.map((row) => row.pieces.map((piece) => piece.text).join(""));
    expect(text).toEqual(["a  b", "- list", "a\tb", "-- list"]);
  });
});
