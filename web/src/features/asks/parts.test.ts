import { expect, it } from "vitest";
import { linesOf, piecesOf } from "./parts";

const ASKS = { command: "git push origin", verdict: "ask" } as const;
const READS = { command: "ls", verdict: "allow" } as const;

it("gives each command as a piece of its own and keeps every character", () => {
  const text = "ls && git push origin; ls";
  const pieces = piecesOf(text, [READS, ASKS, READS]);
  expect(pieces.map(({ text: piece, verdict }) => [piece, verdict])).toEqual([
    ["ls", "allow"], [" && ", null], ["git push origin", "ask"], ["; ", null], ["ls", "allow"],
  ]);
  expect(pieces.map((piece) => piece.text).join("")).toBe(text);
});

it("says nothing of a text in which a command is written otherwise", () => {
  expect(piecesOf("ls && git push 'origin'", [READS, ASKS])).toEqual([{ text: "ls && git push 'origin'", verdict: null }]);
});

it("keeps empty lines and the piece that goes on over a line's end", () => {
  expect(linesOf([{ text: "a\n\nb", verdict: "ask" }])).toEqual([
    [{ text: "a", verdict: "ask" }], [], [{ text: "b", verdict: "ask" }],
  ]);
});
