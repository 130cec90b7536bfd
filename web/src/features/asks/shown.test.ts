import { expect, it } from "vitest";
import { revealHidden, splitShown } from "./shown";

it("writes what cannot be seen as an escape", () => {
  expect(revealHidden("ls\u200b \u202e-la \u00a0\u{e0041}\u001b[2J")).toBe(
    "ls\\u200b \\u202e-la \\u00a0\\u{e0041}\\u001b[2J",
  );
});

it("leaves letters of every script, tabs and line ends alone", () => {
  const text = "naïve 日本 😀 العربية\n\tx";
  expect(revealHidden(text)).toBe(text);
});

it("tells the folder from the command, however many lines it has", () => {
  expect(splitShown("/home/me/p\nls\nid")).toEqual({ head: "/home/me/p", body: "ls\nid" });
});
