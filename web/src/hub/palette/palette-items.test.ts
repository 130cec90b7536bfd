import { expect, it } from "vitest";
import { inboxItem } from "@/testing/inbox";
import { FINISHED } from "@/testing/inbox";
import { found, type PaletteGroup, type PaletteItem, pieces, queryOf, sessionItems, waitingItems } from "./palette-items";

const item = (label: string, fact = ""): PaletteItem => ({ id: label, label, fact, run: () => undefined });
const GROUPS: PaletteGroup[] = [
  { name: "Projects", items: [item("atlas-api", "/code/atlas-api")] },
  { name: "Sessions", items: [item("Explain why CI pushes twice", "orrery"), item("Push notifications", "tidepool")] },
  { name: "Actions", items: [item("Open a folder")] },
];
const labels = (text: string) => found(GROUPS, queryOf(text)).map((group) => [group.name, ...group.items.map(({ label }) => label)]);

it("finds by parts of words, what begins with them first", () => {
  expect(labels("push")).toEqual([["Sessions", "Push notifications", "Explain why CI pushes twice"]]);
  expect(labels("twice orrery")).toEqual([["Sessions", "Explain why CI pushes twice"]]);
  expect(labels("nothing like it")).toEqual([]);
});

it("narrows to one kind by a sign", () => {
  expect(labels("@")).toEqual([["Projects", "atlas-api"]]);
  expect(labels("> open")).toEqual([["Actions", "Open a folder"]]);
  expect(labels("#push").map(([name]) => name)).toEqual(["Sessions"]);
});

it("marks what was typed, and loses no character", () => {
  expect(pieces("git push", ["push"])).toEqual([
    { text: "git ", hit: false },
    { text: "push", hit: true },
  ]);
  for (const label of ["İstanbul push", "😀 push", ""]) {
    expect(pieces(label, ["push", "😀"]).map(({ text }) => text).join("")).toBe(label);
  }
});

it("lists what waits and not what ended", () => {
  expect(waitingItems([inboxItem("x"), FINISHED], () => undefined).map(({ label }) => label)).toEqual([
    "Asks to run git · Rate-limit by API key",
  ]);
});

it("lists sessions newest first, and none of a project that is gone", () => {
  const entry = (id: string, updated_at: string) => ({ id, title: id, activity: "idle" as const, updated_at });
  const sessions = { a: [entry("old", "2026-01-01")], b: [entry("new", "2026-02-01")], gone: [entry("x", "2026-03-01")] };
  const items = sessionItems(sessions, (id) => (id === "gone" ? undefined : id), () => undefined);
  expect(items.map(({ label, fact }) => [label, fact])).toEqual([["new", "b"], ["old", "a"]]);
});
