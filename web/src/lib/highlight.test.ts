import { expect, it } from "vitest";
import { highlight } from "./highlight";

/** A text in a string and a comment that go over many lines: colouring must know where it was. */
const CODE = ['text = """', ...Array.from({ length: 30 }, (_, n) => `def not_code_${n}`), '"""', "def code():", "    return 1  # why"].join("\n");

it("colours in slices as it would at once", async () => {
  const lines = await highlight(CODE, "py");
  expect(lines?.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(CODE);
  const colourOf = (line: number) => new Set(lines?.[line]?.map(({ colour }) => colour));
  expect(colourOf(30)).toEqual(colourOf(1));
  expect(colourOf(1).size).toBe(1);
  expect(lines?.[32]?.[0]).toEqual({ text: "def", colour: "var(--code-token-keyword)" });
});

it("colours what is asked for at once one after the other, each right", async () => {
  const [first, second] = await Promise.all([highlight(CODE, "py"), highlight("const a = 1;", "ts")]);
  expect(first).toHaveLength(34);
  expect(second?.[0]?.[0]?.text).toBe("const");
});

it("leaves plain what it does not know", async () => {
  expect(await highlight("x", "brainfuck")).toBeNull();
});
