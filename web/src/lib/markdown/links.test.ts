import { expect, it } from "vitest";
import { hostOf, safeAddress } from "./links";

it.each(["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "vscode://x", "//host/x", "x.md", ""])(
  "does not open %s",
  (url) => {
    expect(safeAddress(url)).toBeNull();
  },
);

it("opens the web and mail, and names the real host", () => {
  expect(safeAddress("https://example.com/a?b#c")).toBe("https://example.com/a?b#c");
  expect(hostOf("https://good.example@evil.example/x")).toBe("evil.example");
  expect(hostOf("mailto:me@x.io")).toBe("me@x.io");
});
