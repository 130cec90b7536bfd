import { describe, expect, it } from "vitest";
import { growBlocks, NO_BLOCKS, parseMarkdown } from "./blocks";

const TEXT = [
  "# Title",
  "A paragraph with `code` and **bold**.",
  "```py\nx = 1\n\n\ny = 2\n```",
  "- one\n- two\n\n  still two\n\n- three",
  "| a | b |\n|---|---|\n| 1 | 2 |",
  "> quote\n> more",
  "last words",
].join("\n\n");

const kinds = (text: string) => parseMarkdown(text).children.map((node) => node.type);

function grown(text: string, step: number) {
  let blocks = NO_BLOCKS;
  for (let end = step; end < text.length + step; end += step) blocks = growBlocks(blocks, text.slice(0, end));
  return blocks;
}

describe("growing Markdown", () => {
  it.each([1, 3, 17, 4096])("gives the same blocks in steps of %i as at once", (step) => {
    const blocks = grown(TEXT, step);
    const all = [...blocks.frozen.flatMap((b) => kinds(b.source)), ...blocks.rest.map((n) => n.type)];
    expect(all).toEqual(kinds(TEXT));
  });

  it("freezes all but the last two blocks", () => {
    expect(grown(TEXT, 5).frozen).toHaveLength(5);
  });

  it("starts again when the text is another one", () => {
    expect(growBlocks(grown(TEXT, 9), "other").frozen).toEqual([]);
  });

  it("keeps an open fence one block and loses no later text", () => {
    const open = grown("```py\nx=1\n\n\nand on", 1);
    expect(open.rest).toMatchObject([{ type: "code", value: "x=1\n\n\nand on" }]);
  });

  it("reads a closing fence as the very last bytes", () => {
    expect(grown("```\ncode\n```", 1).rest).toMatchObject([{ type: "code", value: "code" }]);
  });

  it("leaves dollar amounts and raw HTML as text", () => {
    const [paragraph] = parseMarkdown("pay $12.50 now or $9 later; set $TMP and $LANG").children;
    expect(paragraph).toMatchObject({
      children: [{ type: "text", value: "pay $12.50 now or $9 later; set $TMP and $LANG" }],
    });
    expect(kinds("<img src=x onerror=alert(1)>")).toEqual(["html"]);
  });
});
