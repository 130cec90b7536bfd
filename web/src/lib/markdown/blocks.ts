/**
 * Markdown as top-level blocks, parsed again only where text still grows.
 *
 * CommonMark decides a block by what comes before it, so all blocks but the last two of a growing
 * text are final: they are frozen as source and never parsed again. Raw HTML stays text; there is no
 * mathematics, so two dollar amounts stay two dollar amounts.
 */
import type { Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";

/** A final block: its source, and a key that stays while the text grows. */
export interface FrozenBlock {
  key: number;
  source: string;
}

export interface Blocks {
  text: string;
  frozen: FrozenBlock[];
  /** Where the growing rest starts in `text`. */
  restAt: number;
  rest: RootContent[];
}

export const NO_BLOCKS: Blocks = { text: "", frozen: [], restAt: 0, rest: [] };
const GROWING = 2;

export function parseMarkdown(source: string): Root {
  return fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
}

/** Gives the blocks of `text`, keeping what `before` has already frozen when `text` continues it. */
export function growBlocks(before: Blocks, text: string): Blocks {
  if (text === before.text) return before;
  const base = text.startsWith(before.text) ? before : NO_BLOCKS;
  const rest = parseMarkdown(text.slice(base.restAt)).children;
  const final = rest.slice(0, Math.max(0, rest.length - GROWING));
  const last = final.at(-1);
  if (!last) return { text, frozen: base.frozen, restAt: base.restAt, rest };
  const restAt = base.restAt + (last.position?.end.offset ?? 0);
  const fresh = final.map((node) => frozenBlock(node, text, base.restAt));
  return { text, frozen: [...base.frozen, ...fresh], restAt, rest: rest.slice(final.length) };
}

function frozenBlock(node: RootContent, text: string, base: number): FrozenBlock {
  const start = base + (node.position?.start.offset ?? 0);
  const end = base + (node.position?.end.offset ?? 0);
  return { key: start, source: text.slice(start, end) };
}
