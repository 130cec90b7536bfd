import { describe, expect, it } from "vitest";
import { composerIntent } from "./keys";
import { nextMode } from "./modes";

const plain = { keyCode: 13, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

describe("Enter", () => {
  it("sends", () => {
    expect(composerIntent({ ...plain, key: "Enter" })).toBe("send");
  });

  it("with Alt queues", () => {
    expect(composerIntent({ ...plain, key: "Enter", altKey: true })).toBe("queue");
  });

  it("with Shift begins a new line", () => {
    expect(composerIntent({ ...plain, key: "Enter", shiftKey: true })).toBeNull();
  });

  it("that confirms an input method's candidate sends nothing", () => {
    expect(composerIntent({ ...plain, key: "Enter", nativeEvent: { isComposing: true } })).toBeNull();
    expect(composerIntent({ ...plain, key: "Enter", isComposing: true })).toBeNull();
  });

  it("right after the composition, with key code 229, sends nothing", () => {
    expect(composerIntent({ ...plain, key: "Enter", keyCode: 229, nativeEvent: { isComposing: false } })).toBeNull();
  });
});

describe("Shift Tab", () => {
  const tab = { ...plain, key: "Tab", keyCode: 9, shiftKey: true };

  it("goes to the next mode", () => {
    expect(composerIntent(tab)).toBe("next-mode");
    expect(composerIntent({ ...tab, shiftKey: false })).toBeNull();
    expect(composerIntent({ ...tab, ctrlKey: true })).toBeNull();
  });

  it("never reaches yolo, and leaves it", () => {
    expect(["default", "accept-edits", "plan"].map((mode) => nextMode(mode as "plan"))).toEqual([
      "accept-edits",
      "plan",
      "default",
    ]);
    expect(nextMode("yolo")).toBe("default");
  });
});
