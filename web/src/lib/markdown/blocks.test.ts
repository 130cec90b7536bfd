import type { List, RootContent } from "mdast";
import { describe, expect, it } from "vitest";
import { type Blocks, growBlocks, NO_BLOCKS, parseMarkdown } from "./blocks";

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

/** What is shown of a tree: neither where it lies nor how loosely its lists were written. */
function shown(nodes: readonly RootContent[]): unknown {
  const text = JSON.stringify(nodes, (key, value: unknown) => (key === "position" || key === "spread" ? undefined : value));
  return JSON.parse(text);
}

const nodesOf = ({ final, growing }: Blocks) => [...final, ...growing].map(({ node }) => node);

const LISTS = [
  "An intro:\n",
  ...Array.from({ length: 12 }, (_, n) => `- item ${n} with \`code\`${n % 3 === 0 ? "\n\n  and more\n  - inner" : ""}`),
  "\nA word between.\n",
  ...Array.from({ length: 14 }, (_, n) => `${n % 2 === 0 ? "" : " "}${n + 3}. step ${n}${n === 9 ? "\n   ```py\n   - no item\n   ```" : ""}`),
  "lazy end",
  "\n* one\n* two\n\n# After\n",
  ...Array.from({ length: 9 }, (_, n) => `- [${n % 2 === 0 ? "x" : " "}] task ${n}`),
].join("\n");

describe("growing Markdown", () => {
  it.each([1, 3, 17, 4096])("gives the same blocks in steps of %i as at once", (step) => {
    expect(shown(nodesOf(grown(TEXT, step)))).toEqual(shown(parseMarkdown(TEXT).children));
    expect(shown(nodesOf(grown(LISTS, step)))).toEqual(shown(parseMarkdown(LISTS).children));
  });

  it("never parses again what is final: all but the last two blocks", () => {
    const before = grown(TEXT, 5);
    expect(before.final).toHaveLength(5);
    expect(growBlocks(before, `${TEXT} and more`).final.slice(0, 5)).toEqual(before.final);
  });

  it("keeps the items of a growing list but the last two, and parses no others again", () => {
    const list = Array.from({ length: 300 }, (_, n) => `- item ${n}`).join("\n");
    const before = grown(`Look:\n\n${list}`, 50);
    const after = growBlocks(before, `Look:\n\n${list} ends here\n- one more`);
    const itemsOf = (blocks: Blocks) => (blocks.growing[0]?.node as List).children;
    expect(itemsOf(after)).toHaveLength(301);
    expect(itemsOf(after).slice(0, 298).every((item, n) => item === itemsOf(before)[n])).toBe(true);
    expect(after.text.length - after.parseAt).toBeLessThan(50);
  });

  it("starts again when the text is another one", () => {
    expect(growBlocks(grown(TEXT, 9), "other").final).toEqual([]);
  });

  it("keeps an open fence one block and loses no later text", () => {
    const open = grown("```py\nx=1\n\n\nand on", 1);
    expect(open.growing.map(({ node }) => node)).toMatchObject([{ type: "code", value: "x=1\n\n\nand on" }]);
  });

  it("reads a closing fence as the very last bytes", () => {
    expect(nodesOf(grown("```\ncode\n```", 1))).toMatchObject([{ type: "code", value: "code" }]);
  });

  it("leaves dollar amounts and raw HTML as text", () => {
    const [paragraph] = parseMarkdown("pay $12.50 now or $9 later; set $TMP and $LANG").children;
    expect(paragraph).toMatchObject({
      children: [{ type: "text", value: "pay $12.50 now or $9 later; set $TMP and $LANG" }],
    });
    expect(kinds("<img src=x onerror=alert(1)>")).toEqual(["html"]);
  });
});
