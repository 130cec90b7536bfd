/**
 * Markdown as top-level blocks, parsed again only where text still grows.
 *
 * CommonMark decides a block by what comes before it, so all blocks but the last two of a growing
 * text are final, and so are all items but the last two of a list that grows: they are never parsed
 * again, and keep their identity. Raw HTML stays text; there is no mathematics, so two dollar amounts
 * stay two dollar amounts.
 */
import type { List, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** A block and where it lies in the text; where it begins stays while the text grows. */
export interface PlacedBlock {
  start: number;
  end: number;
  node: RootContent;
}

type PlacedList = PlacedBlock & { node: List };

export interface Blocks {
  text: string;
  final: readonly PlacedBlock[];
  growing: readonly PlacedBlock[];
  /** Where what grows begins. */
  growingAt: number;
  /** Where the next parse begins: later, when the first items of a growing list are final. */
  parseAt: number;
  /** That list with its final items. */
  list: PlacedList | null;
}

export const NO_BLOCKS: Blocks = { text: "", final: [], growing: [], growingAt: 0, parseAt: 0, list: null };
const GROWING = 2;
/** A shorter list is parsed again as a whole. */
const LONG_LIST = 6;

export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** Gives the blocks of `text`, keeping what is final in `before` when `text` continues it. */
export function growBlocks(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  const base = text.startsWith(before.text) ? before : NO_BLOCKS;
  const fresh = parseMarkdown(text.slice(base.parseAt)).children.map((node) => placed(node, base.parseAt));
  const rest = base.list === null ? fresh : joined(base.list, fresh);
  // What follows the list is read into it: that happens to no list, but must not lose any text.
  if (rest === null) return growBlocks({ ...base, text: "", parseAt: base.growingAt, list: null }, text);
  const count = isLongList(rest.at(-1)) ? 1 : GROWING;
  const final = rest.slice(0, Math.max(0, rest.length - count));
  const growing = rest.slice(final.length);
  const growingAt = final.at(-1)?.end ?? base.growingAt;
  const next = { text, final: [...base.final, ...final], growing, growingAt };
  return { ...next, ...resumption(growing[0], text, base.parseAt, growingAt) };
}

function placed(node: RootContent, base: number): PlacedBlock {
  const { start, end } = node.position ?? {};
  return { start: base + (start?.offset ?? 0), end: base + (end?.offset ?? 0), node };
}

function isLongList(block: PlacedBlock | undefined): block is PlacedList {
  return block?.node.type === "list" && block.node.children.length >= LONG_LIST;
}

/** Give the final items of a list back to what was parsed from the next item on. */
function joined(list: PlacedList, [first, ...others]: PlacedBlock[]): PlacedBlock[] | null {
  if (first?.node.type !== "list" || first.node.ordered !== list.node.ordered) return null;
  const node: List = { ...list.node, children: [...list.node.children, ...first.node.children] };
  return [{ start: list.start, end: first.end, node }, ...others];
}

/** Where the next parse begins: at the last but one item of a long list, else at the first growing block. */
function resumption(
  block: PlacedBlock | undefined,
  text: string,
  base: number,
  growingAt: number,
): Pick<Blocks, "parseAt" | "list"> {
  const item = isLongList(block) ? block.node.children.at(-GROWING) : undefined;
  if (!isLongList(block) || item?.position?.start.offset === undefined) return { parseAt: growingAt, list: null };
  // From the line's beginning: how far it is indented decides what belongs to it.
  const parseAt = text.lastIndexOf("\n", base + item.position.start.offset - 1) + 1;
  return { parseAt, list: { ...block, node: { ...block.node, children: block.node.children.slice(0, -GROWING) } } };
}
