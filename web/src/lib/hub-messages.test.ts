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
  ];
  expect(wrong.map(parsePageMessage)).toEqual(wrong.map(() => null));
});

it("keeps the two directions apart", () => {
  expect(parseHubMessage(wrap({ type: "ready" }))).toBeNull();
  expect(parsePageMessage(wrap({ type: "ticket", ticket: "t" }))).toBeNull();
});
