import { describe, expect, it } from "vitest";
import { matchShortcut, SHORTCUTS, shownKeys } from "@/lib/shortcuts";

const none = { code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const ctrl = (key: string, code: string) => matchShortcut({ ...none, key, code, ctrlKey: true });

describe("a key press", () => {
  it("means its shortcut, also with a letter that Shift or Alt changed", () => {
    expect(ctrl("j", "KeyJ")).toBe("ask");
    expect(ctrl("1", "Digit1")).toBe("project.1");
    expect(matchShortcut({ ...none, key: "F", code: "KeyF", ctrlKey: true, shiftKey: true })).toBe("search");
    expect(matchShortcut({ ...none, key: "∫", code: "KeyB", ctrlKey: true, altKey: true })).toBe("run-panel");
    expect(matchShortcut({ ...none, key: "F6", shiftKey: true })).toBe("region.back");
  });

  it("means the same with Alt where a browser keeps the key", () => {
    expect(matchShortcut({ ...none, key: "3", code: "Digit3", altKey: true })).toBe("project.3");
    expect(matchShortcut({ ...none, key: "n", code: "KeyN", altKey: true })).toBe("session.new");
    expect(matchShortcut({ ...none, key: "j", code: "KeyJ", altKey: true })).toBeNull();
  });

  it("means nothing when it is only typed", () => {
    expect(matchShortcut({ ...none, key: "j", code: "KeyJ" })).toBeNull();
    const field = document.createElement("textarea");
    expect(matchShortcut({ ...none, key: "?", shiftKey: true, target: field })).toBeNull();
    expect(matchShortcut({ ...none, key: "?", shiftKey: true })).toBe("keys");
  });
});

it("has no two shortcuts on one key", () => {
  const keys = Object.values(SHORTCUTS).map((shortcut) => shortcut.keys);
  expect(new Set(keys).size).toBe(keys.length);
});

it("shows the key that works where the page is", () => {
  expect(shownKeys("session.new")).toBe("Ctrl N");
  expect(shownKeys("session.new", true)).toBe("Alt N");
  expect(shownKeys("ask", true)).toBe("Ctrl J");
});
