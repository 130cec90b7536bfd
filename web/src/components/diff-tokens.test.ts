import { expect, it } from "vitest";
import { spansOf } from "./diff-tokens";

const pieces = [
  { text: "a = ", changed: false },
  { text: "get(x)", changed: true },
];

it("cuts tokens where changed words begin", () => {
  const tokens = [
    { text: "a", colour: "fg" },
    { text: " = get", colour: "fn" },
    { text: "(x)", colour: undefined },
  ];
  expect(spansOf(pieces, tokens)).toEqual([
    { text: "a", colour: "fg", changed: false },
    { text: " = ", colour: "fn", changed: false },
    { text: "get", colour: "fn", changed: true },
    { text: "(x)", colour: undefined, changed: true },
  ]);
});

it("keeps every character when tokens are missing or too short", () => {
  const text = (spans: { text: string }[]) => spans.map((span) => span.text).join("");
  expect(text(spansOf(pieces, undefined))).toBe("a = get(x)");
  expect(text(spansOf(pieces, [{ text: "a", colour: "fg" }]))).toBe("a = get(x)");
  expect(text(spansOf(pieces, [{ text: "", colour: "fg" }]))).toBe("a = get(x)");
});
