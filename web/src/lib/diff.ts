/** A unified diff as rows with line numbers and the words that changed. */

export interface DiffPiece {
  text: string;
  changed: boolean;
}

export interface DiffRow {
  kind: "same" | "added" | "removed";
  oldLine: number | null;
  newLine: number | null;
  pieces: DiffPiece[];
}

export interface DiffHunk {
  /** Unchanged lines between the hunk before (or the file's start) and this one. */
  skipped: number;
  rows: DiffRow[];
}

const HEADER = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Reads a unified diff; file headers and "no newline" marks are skipped. */
export function parseDiff(unified: string): DiffHunk[] {
  const hunks: DiffHunk[] = [];
  let oldLine = 1;
  let newLine = 1;
  for (const line of unified.split("\n")) {
    const header = HEADER.exec(line);
    if (header) {
      const start = Number(header[1]);
      hunks.push({ skipped: Math.max(0, start - oldLine), rows: [] });
      oldLine = start;
      newLine = Number(header[3]);
      continue;
    }
    const rows = hunks.at(-1)?.rows;
    const kind = { " ": "same", "+": "added", "-": "removed" }[line[0] ?? ""] as DiffRow["kind"] | undefined;
    if (!rows || !kind) continue;
    rows.push({
      kind,
      oldLine: kind === "added" ? null : oldLine,
      newLine: kind === "removed" ? null : newLine,
      pieces: [{ text: line.slice(1), changed: false }],
    });
    if (kind !== "added") oldLine++;
    if (kind !== "removed") newLine++;
  }
  for (const hunk of hunks) markWords(hunk.rows);
  return hunks;
}

/** Marks the changed words where as many lines were removed as were added in their place. */
function markWords(rows: DiffRow[]): void {
  let at = 0;
  while (at < rows.length) {
    const removed = runOf(rows, at, "removed");
    const added = runOf(rows, at + removed, "added");
    if (removed > 0 && removed === added) {
      for (let i = 0; i < removed; i++) markPair(rows[at + i], rows[at + removed + i]);
    }
    at += Math.max(1, removed + added);
  }
}

function runOf(rows: DiffRow[], from: number, kind: DiffRow["kind"]): number {
  let count = 0;
  while (rows[from + count]?.kind === kind) count++;
  return count;
}

function markPair(before: DiffRow | undefined, after: DiffRow | undefined): void {
  if (!before || !after) return;
  const old = words(before);
  const fresh = words(after);
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, fresh.length) - head;
  while (tail < most && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  // Lines that share nothing but blanks are two lines, not one that changed.
  if (!old.slice(0, head).concat(old.slice(old.length - tail)).some((word) => word.trim())) return;
  before.pieces = split(old, head, tail);
  after.pieces = split(fresh, head, tail);
}

const words = (row: DiffRow): string[] => (row.pieces[0]?.text ?? "").match(/\w+|\s+|[^\w\s]/g) ?? [];

function split(all: string[], head: number, tail: number): DiffPiece[] {
  const end = all.length - tail;
  const pieces = [
    { text: all.slice(0, head).join(""), changed: false },
    { text: all.slice(head, end).join(""), changed: true },
    { text: all.slice(end).join(""), changed: false },
  ];
  return pieces.filter((piece) => piece.text);
}
