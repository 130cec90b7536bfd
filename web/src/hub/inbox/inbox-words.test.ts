import { expect, it } from "vitest";
import { FINISHED, inboxItem } from "@/testing/inbox";
import { durationWords, endedWords, split, waitingHeading, waitingWords } from "./inbox-words";

it("counts what waits in words", () => {
  expect(waitingHeading(1)).toBe("One thing waits for you");
  expect(waitingHeading(3)).toBe("Three things wait for you");
  expect(waitingHeading(40)).toBe("40 things wait for you");
});

it("says how long something has waited: relative up to an hour, then the clock", () => {
  const at = "2026-11-30T10:00:00Z";
  const after = (seconds: number) => waitingWords(at, Date.parse(at) + seconds * 1000);
  expect([after(-3), after(41), after(540)]).toEqual(["waiting 0 s", "waiting 41 s", "waiting 9 min"]);
  expect(after(7200)).toMatch(/^waiting since \d\d:\d\d$/);
});

it("says how long a run took", () => {
  expect([null, 12.4, 61, 3600, 4800].map(durationWords)).toEqual(["", "12 s", "1 min", "1 h", "1 h 20 min"]);
});

it("tells what waits from what ended and names it for those who do not see it", () => {
  expect(split([inboxItem("a"), FINISHED])).toEqual({ waiting: [inboxItem("a")], ended: [FINISHED] });
  expect(endedWords(FINISHED)).toBe("atlas-api, finished, Explain the chart cache, The cache holds");
});
