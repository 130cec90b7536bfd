import { afterEach, expect, it, vi } from "vitest";
import { useToasts } from "@/lib/toasts";
import { serve } from "@/testing/server";
import { exportSession, fileNameOf } from "./export-session";

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("names the file by the title, without what a file system may refuse", () => {
  expect(fileNameOf("Fix: a/b \u202e*?")).toBe("Fix-a-b.jsonl");
  expect(fileNameOf("…")).toBe("session.jsonl");
  expect(fileNameOf("حدّ المعدل")).toMatch(/\.jsonl$/);
});

it("gives all pages in their order, one message a line", async () => {
  const message = (id: string) => ({ message_id: id, role: "user", parts: [] });
  const calls = serve(({ path }) => ({
    body: path.includes("cursor=m2") ? { items: [message("m1")], next_cursor: null } : { items: [message("m2"), message("m3")], next_cursor: "m2" },
  }));
  const blobs: Blob[] = [];
  vi.stubGlobal("URL", Object.assign(URL, { createObjectURL: (blob: Blob) => { blobs.push(blob); return "blob:x"; }, revokeObjectURL: vi.fn() }));
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(() => undefined);
  await exportSession({ id: "s", title: "Limits" });
  expect(calls).toHaveLength(2);
  const lines = (await blobs[0]?.text())?.trimEnd().split("\n").map((line) => (JSON.parse(line) as { message_id: string }).message_id);
  expect(lines).toEqual(["m1", "m2", "m3"]);
});

it("says why nothing was exported", async () => {
  serve(() => ({ status: 404, body: { code: "unknown_session", detail: "There is no such session." } }));
  await exportSession({ id: "s", title: "" });
  expect(useToasts.getState().items.at(-1)?.text).toBe("The session was not exported: There is no such session.");
});
