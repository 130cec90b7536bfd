import { UnfoldVertical } from "lucide-react";
import { useMemo, useState } from "react";
import type { DiffHunk, DiffRow } from "@/lib/diff";
import { parseDiff } from "@/lib/diff";
import type { Token } from "@/lib/highlight";
import { spansOf, useDiffTokens } from "./diff-tokens";
import "./code.css";

const FIRST_ROWS = 40;
const SIGNS = { same: "", added: "+", removed: "−" };
const TINTS = { same: "", added: "bg-live-soft", removed: "bg-bad-soft" };
const WORDS = { same: "", added: "bg-live-word", removed: "bg-bad-word" };

interface DiffViewProps {
  unified: string;
  /** Of the file, whose ending tells its language. */
  path: string;
  /** Never folds, wraps long lines, and has no frame of its own: nothing of it can be missed. */
  bare?: boolean;
}

/** A unified diff; long ones fold, signs say what colours say. */
export function DiffView({ unified, path, bare = false }: DiffViewProps) {
  const hunks = useMemo(() => parseDiff(unified), [unified]);
  const tokens = useDiffTokens(hunks, path);
  const total = hunks.reduce((sum, hunk) => sum + hunk.rows.length, 0);
  const [opened, setOpened] = useState(bare || total <= FIRST_ROWS + 10);
  if (total === 0) return null;
  return (
    <div dir="ltr" role="group" aria-label={`Change of ${path}`} className={bare ? "" : "overflow-hidden rounded-well border border-line1 bg-well"}>
      <div tabIndex={bare ? undefined : 0} className="overflow-x-auto py-1.5 font-mono text-code">
        <div className={bare ? "" : "min-w-max"}>
          {shownHunks(hunks, opened).map((hunk, index) => (
            <Hunk key={index} hunk={hunk} first={index === 0} tokens={tokens} wraps={bare} />
          ))}
        </div>
      </div>
      {opened ? null : (
        <button
          type="button"
          onClick={() => setOpened(true)}
          className="flex w-full items-center gap-2 border-t border-line1 px-3 py-1.5 text-meta text-fg2 hover-fade hover:bg-bg3"
        >
          <UnfoldVertical size={14} strokeWidth={1.6} aria-hidden="true" />
          {(total - FIRST_ROWS).toLocaleString("en")} more lines
        </button>
      )}
    </div>
  );
}

function shownHunks(hunks: DiffHunk[], opened: boolean): DiffHunk[] {
  if (opened) return hunks;
  let left = FIRST_ROWS;
  const shown: DiffHunk[] = [];
  for (const hunk of hunks) {
    if (left <= 0) break;
    shown.push({ ...hunk, rows: hunk.rows.slice(0, left) });
    left -= hunk.rows.length;
  }
  return shown;
}

interface HunkProps {
  hunk: DiffHunk;
  first: boolean;
  tokens: ReadonlyMap<DiffRow, Token[]> | null;
  wraps: boolean;
}

function Hunk({ hunk, first, tokens, wraps }: HunkProps) {
  return (
    <>
      {first || hunk.skipped === 0 ? null : (
        <div className="my-1 bg-bg3 px-3 font-sans text-meta text-fg3">{hunk.skipped} unchanged lines</div>
      )}
      {hunk.rows.map((row, index) => (
        <Line key={index} row={row} tokens={tokens?.get(row)} wraps={wraps} />
      ))}
    </>
  );
}

interface LineProps {
  row: DiffRow;
  tokens: Token[] | undefined;
  wraps: boolean;
}

function Line({ row, tokens, wraps }: LineProps) {
  const breaks = wraps ? "whitespace-pre-wrap [overflow-wrap:anywhere]" : "whitespace-pre";
  return (
    <div className={`flex pe-3 ${breaks} ${TINTS[row.kind]} ${row.kind === "same" ? "text-fg2" : "text-fg1"}`}>
      <span className="w-11 shrink-0 pe-2 text-end text-fg3 tabular select-none">{row.newLine ?? row.oldLine}</span>
      <span className={`w-5 shrink-0 select-none ${row.kind === "added" ? "text-live" : "text-bad"}`}>{SIGNS[row.kind]}</span>
      <span className="min-w-0">
        {spansOf(row.pieces, tokens).map((span, index) => (
          <span key={index} style={{ color: span.colour }} className={span.changed ? WORDS[row.kind] : undefined}>
            {span.text}
          </span>
        ))}
      </span>
    </div>
  );
}
