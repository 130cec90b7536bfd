/** A command line as pieces, each with what is said of it. Pure. */

export interface Part {
  command: string;
  verdict: "allow" | "ask" | "deny";
}

export interface Piece {
  text: string;
  /** null: what stands between the commands. */
  verdict: Part["verdict"] | null;
}

/**
 * Give the text in pieces, every command as one. A command that is not written as it was read
 * (other quotes, escapes) is not looked for: then the whole text is one piece and nothing is said.
 */
export function piecesOf(text: string, parts: readonly Part[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { command, verdict } of parts) {
    const at = text.indexOf(command, from);
    if (command === "" || at === -1) {
      return [{ text, verdict: null }];
    }
    pieces.push({ text: text.slice(from, at), verdict: null }, { text: command, verdict });
    from = at + command.length;
  }
  pieces.push({ text: text.slice(from), verdict: null });
  return pieces.filter((piece) => piece.text !== "");
}

/** Give the pieces line by line. */
export function linesOf(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { text, verdict } of pieces) {
    text.split("\n").forEach((line, index) => {
      if (index > 0) {
        lines.push([]);
      }
      if (line !== "") {
        lines.at(-1)?.push({ text: line, verdict });
      }
    });
  }
  return lines;
}
