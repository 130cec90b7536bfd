import { describe, expect, it } from "vitest";
import { row } from "@/testing/rows";
import { groupRows, stateOf } from "./groups";
import { movedTo } from "./list-keys";

const NOON = new Date(2026, 2, 10, 12).getTime();
const at = (hoursAgo: number) => new Date(NOON - hoursAgo * 3_600_000).toISOString();
const all = { archived: false, words: "" };
const names = (groups: ReturnType<typeof groupRows>) => groups.map(({ name, rows }) => [name, rows.map(({ id }) => id)]);

describe("the groups", () => {
  it("go from what is alive now to what is old, youngest first", () => {
    const rows = [
      row("old", { updated_at: at(24 * 30) }),
      row("today", { updated_at: at(2) }),
      row("younger today", { updated_at: at(1) }),
      row("week", { updated_at: at(24 * 3) }),
      row("runs", { updated_at: at(1), activity: "running" }),
      row("asks", { updated_at: at(5), activity: "needs_you" }),
      row("pinned", { updated_at: at(24 * 60), pinned: true }),
    ];
    expect(names(groupRows(rows, all, NOON))).toEqual([
      ["Now", ["asks", "runs"]],
      ["Pinned", ["pinned"]],
      ["Today", ["younger today", "today"]],
      ["Last week", ["week"]],
      ["Older", ["old"]],
    ]);
  });

  it("hold the archived alone, or none of them", () => {
    const rows = [row("a", { updated_at: at(1) }), row("b", { updated_at: at(1), archived: true })];
    expect(names(groupRows(rows, all, NOON))).toEqual([["Today", ["a"]]]);
    expect(names(groupRows(rows, { archived: true, words: "" }, NOON))).toEqual([["Today", ["b"]]]);
  });

  it("hold titles with every word that was asked for", () => {
    const rows = [row("a", { title: "Rate limit by key" }), row("b", { title: "Key rotation" })];
    const found = (words: string) => groupRows(rows, { archived: false, words }, NOON).flatMap((group) => group.rows);
    expect(found("KEY").map(({ id }) => id)).toEqual(["a", "b"]);
    expect(found("key limit").map(({ id }) => id)).toEqual(["a"]);
    expect(found("nothing")).toEqual([]);
  });
});

describe("the mark of a row", () => {
  const mark = (given: Parameters<typeof row>[1], unread = false) => stateOf(row("a", given), unread).mark;

  it("tells what it does, then how it ended", () => {
    expect(mark({ activity: "needs_you" })).toBe("needs-you");
    expect(mark({ activity: "running" })).toBe("running");
    expect(mark({ activity: "queued" })).toBe("pending");
    expect(mark({ last_outcome: null })).toBe("idle");
    expect(mark({ last_outcome: "error" })).toBe("error");
    expect(mark({ last_outcome: "interrupted" })).toBe("interrupted");
  });

  it("is a dot when it finished while another was in front, and a failure stays one", () => {
    expect(mark({ last_outcome: "completed" }, true)).toBe("unread");
    expect(mark({ last_outcome: "error" }, true)).toBe("error");
  });
});

it("moves by arrows within the list and stops at its ends", () => {
  const ids = ["a", "b", "c"];
  expect(movedTo("ArrowDown", ids, "a")).toBe("b");
  expect(movedTo("ArrowDown", ids, "c")).toBe("c");
  expect(movedTo("ArrowUp", ids, "a")).toBe("a");
  expect(movedTo("Home", ids, "c")).toBe("a");
  expect(movedTo("End", ids, "a")).toBe("c");
  expect(movedTo("x", ids, "a")).toBeNull();
  expect(movedTo("ArrowDown", [], null)).toBeNull();
});
