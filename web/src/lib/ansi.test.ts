import { describe, expect, it } from "vitest";
import { parseAnsi, plainText } from "./ansi";

describe("terminal output", () => {
  it("shows the last state of a progress bar and drops links, colours stay", () => {
    const output =
      "\x1b[31mred\x1b[0m\nstep 1/9\rstep 9/9\nend\x1b]8;;http://a\x07link\x1b]8;;\x07";
    expect(plainText(output)).toBe("red\nstep 9/9\nendlink");
    expect(parseAnsi(output)[0]).toEqual([{ text: "red", style: { colour: "red" } }]);
  });

  it("keeps a line that ends with a carriage return", () => {
    expect(plainText("50 %\r")).toBe("50 %");
    expect(plainText("50 %\r\n60 %\r\n")).toBe("50 %\n60 %\n");
  });

  it("drops what could move, clear or write the clipboard", () => {
    expect(plainText("a\x1b[2Jb\x1b[10;10Hc\x1b]52;c;aGk=\x07d\x1bPx\x1b\\e\x1b[2147483647bf")).toBe(
      "abcdef",
    );
  });

  it("never leaves an escape in the text, however it is cut", () => {
    const whole = "x\x1b[38;2;1;2;3my\x1b]0;title\x07z";
    for (let end = 0; end <= whole.length; end++) {
      expect(plainText(whole.slice(0, end))).not.toContain("\x1b");
    }
  });

  it("maps every palette and true colour to a named one", () => {
    expect(parseAnsi("\x1b[38;5;196mx")[0]?.[0]?.style.colour).toBe("red");
    expect(parseAnsi("\x1b[38;2;90;240;90mx")[0]?.[0]?.style.colour).toBe("green");
    expect(parseAnsi("\x1b[1;92mx\x1b[22;39my")[0]?.[1]?.style).toEqual({});
  });
});
