import { expect, it } from "vitest";
import { parseHubMessage, parsePageMessage, wrap } from "@/lib/hub-messages";

it("reads back what the other side wrapped", () => {
  const page = { type: "link", url: "https://example.com/" } as const;
  const hub = { type: "open", session_id: "ses_1" } as const;
  expect(parsePageMessage(wrap(page))).toEqual(page);
  expect(parseHubMessage(wrap(hub))).toEqual(hub);
});

it("drops what is no message of the set", () => {
  const wrong = [
    null,
    "ready",
    { type: "ready" },
    { lararium: 2, type: "ready" },
    { lararium: 1, type: "constructor" },
    { lararium: 1, type: "link", url: 7 },
    { lararium: 1, type: "link", url: "x".repeat(9000) },
    { lararium: 1, type: "shortcut", id: "quit" },
    { lararium: 1, type: "badge", waiting: -1, running: 0 },
    { lararium: 1, type: "focus.leave", direction: "up" },
    { lararium: 1, type: "settings.wanted", section: "models" },
    { lararium: 1, type: "sessions", items: [{ id: "s", title: 7, activity: "idle", updated_at: "" }] },
    { lararium: 1, type: "sessions", items: [null] },
  ];
  expect(wrong.map(parsePageMessage)).toEqual(wrong.map(() => null));
});

it("keeps the two directions apart", () => {
  expect(parseHubMessage(wrap({ type: "ready" }))).toBeNull();
  expect(parsePageMessage(wrap({ type: "ticket", ticket: "t" }))).toBeNull();
});

it("hears which sessions a page has, up to a bound", () => {
  const item = { id: "s", title: "Limits", activity: "idle", updated_at: "2026-03-01T10:00:00Z" } as const;
  const listed = { type: "sessions", items: [item] } as const;
  expect(parsePageMessage(wrap({ ...listed, items: [item] }))).toEqual(listed);
  expect(parsePageMessage(wrap({ type: "sessions", items: Array.from({ length: 201 }, () => item) }))).toBeNull();
});
