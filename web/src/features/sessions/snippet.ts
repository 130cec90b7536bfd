/** A snippet's text in pieces; the daemon puts isolates around what was found. Pure. */

const BEGIN = "\u2068";
const END = "\u2069";

export interface SnippetPiece {
  text: string;
  found: boolean;
}

/** Give the pieces; marks without their partner end with the text. */
export function snippetPieces(snippet: string): SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  for (const [place, part] of snippet.split(BEGIN).entries()) {
    const end = place === 0 ? -1 : part.indexOf(END);
    if (place > 0) {
      pieces.push({ text: end === -1 ? part : part.slice(0, end), found: true });
    }
    if (place === 0 || end !== -1) {
      pieces.push({ text: part.slice(end + 1), found: false });
    }
  }
  const clean = pieces.map(({ text, found }) => ({ text: text.replaceAll(END, "").replace(/\s+/g, " "), found }));
  return clean.filter(({ text }) => text !== "");
}
