/** The colours of a diff's lines: before and after are each read as the code they are. */
import { useEffect, useState } from "react";
import type { DiffHunk, DiffPiece, DiffRow } from "@/lib/diff";
import { highlight, languageOfPath, type Token } from "@/lib/highlight";

export interface DiffSpan {
  text: string;
  colour: string | undefined;
  changed: boolean;
}

type Side = Exclude<DiffRow["kind"], "same">;

const textOf = (row: DiffRow): string => row.pieces.map((piece) => piece.text).join("");

async function sideTokens(rows: readonly DiffRow[], without: Side, language: string): Promise<Map<DiffRow, Token[]>> {
  const own = rows.filter((row) => row.kind !== without);
  const lines = await highlight(own.map(textOf).join("\n"), language);
  return new Map(lines === null ? [] : own.map((row, index) => [row, lines[index] ?? []]));
}

async function hunkTokens(hunk: DiffHunk, language: string): Promise<Map<DiffRow, Token[]>> {
  const before = await sideTokens(hunk.rows, "added", language);
  const after = await sideTokens(hunk.rows, "removed", language);
  return new Map([...before, ...after]);
}

/** Give the tokens of each row, once they are read; none for a language that is not known. */
export function useDiffTokens(hunks: readonly DiffHunk[], path: string): ReadonlyMap<DiffRow, Token[]> | null {
  const [found, setFound] = useState<{ hunks: readonly DiffHunk[]; tokens: Map<DiffRow, Token[]> } | null>(null);
  useEffect(() => {
    const language = languageOfPath(path);
    if (language === null) return;
    let wanted = true;
    void Promise.all(hunks.map((hunk) => hunkTokens(hunk, language))).then((maps) => {
      if (wanted) setFound({ hunks, tokens: new Map(maps.flatMap((map) => [...map])) });
    });
    return () => {
      wanted = false;
    };
  }, [hunks, path]);
  return found?.hunks === hunks ? found.tokens : null;
}

/** Cut tokens where changed words begin and end. */
export function spansOf(pieces: readonly DiffPiece[], tokens: readonly Token[] | undefined): DiffSpan[] {
  if (tokens === undefined) {
    return pieces.map((piece) => ({ ...piece, colour: undefined }));
  }
  const spans: DiffSpan[] = [];
  let token = 0;
  let used = 0;
  for (const { text, changed } of pieces) {
    let left = text;
    while (left !== "") {
      const whole = tokens[token];
      const rest = whole === undefined ? left : whole.text.slice(used);
      const taken = left.slice(0, rest.length || left.length);
      spans.push({ text: taken, colour: whole?.colour, changed });
      left = left.slice(taken.length);
      used += taken.length;
      if (whole !== undefined && used >= whole.text.length) {
        token += 1;
        used = 0;
      }
    }
  }
  return spans;
}
