import { expect, it } from "vitest";
import { workspace } from "@/testing/inbox";
import { movedTo, placeAt, placeFor } from "./rail-order";

const ALL = [workspace("p", { pinned: true }), workspace("a"), workspace("b"), workspace("c")];
const ids = (id: string, place: number) => movedTo(ALL, id, place).map((each) => each.id).join("");

it("puts a project at another place", () => {
  expect([ids("c", 1), ids("a", 3), ids("b", 2), ids("gone", 0)]).toEqual(["pcab", "pbca", "pabc", "pabc"]);
});

it("keeps pinned projects before the others", () => {
  expect([ids("c", 0), ids("p", 3)]).toEqual(["pcab", "pabc"]);
  expect(placeFor(ALL, "p", 3)).toBe(0);
});

it("finds where a dragged row would fall", () => {
  const middles = [20, 60, 100];
  expect([0, 70, 300].map((y) => placeAt(middles, 0, y))).toEqual([0, 1, 2]);
  expect([0, 70, 300].map((y) => placeAt(middles, 2, y))).toEqual([0, 2, 2]);
});
