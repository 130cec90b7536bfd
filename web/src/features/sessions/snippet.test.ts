import { expect, it } from "vitest";
import { snippetPieces } from "./snippet";

const shape = (snippet: string) => snippetPieces(snippet).map(({ text, found }) => (found ? `[${text}]` : text));

it("tells what was found from what stands around it", () => {
  expect(shape("…the \u2068token\u2069 bucket and a \u2068Token\u2069")).toEqual(["…the ", "[token]", " bucket and a ", "[Token]"]);
  expect(shape("\u2068a\u2069")).toEqual(["[a]"]);
  expect(shape("none")).toEqual(["none"]);
});

it("takes a mark without its partner up to the end, and shows no mark", () => {
  expect(shape("a \u2068b c")).toEqual(["a ", "[b c]"]);
  expect(shape("a\u2069 b")).toEqual(["a b"]);
});

it("makes one line of several", () => {
  expect(shape("a\n\n  \u2068b\u2069\tc")).toEqual(["a ", "[b]", " c"]);
});
