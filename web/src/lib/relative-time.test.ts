import { expect, it } from "vitest";
import { shortTime, timeGroup } from "@/lib/relative-time";

const now = new Date(2026, 2, 12, 15, 0).getTime();
const ago = (ms: number) => new Date(now - ms).toISOString();
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it("is relative up to an hour, then the clock, then the day", () => {
  expect(shortTime(ago(20_000), now)).toBe("now");
  expect(shortTime(ago(9 * MINUTE), now)).toBe("9m");
  expect(shortTime(ago(2 * HOUR), now)).toBe("13:00");
  expect(shortTime(ago(48 * HOUR), now)).toBe("Tue");
  expect(shortTime(ago(60 * 24 * HOUR), now)).toMatch(/Jan/);
  expect(shortTime(ago(400 * 24 * HOUR), now)).toMatch(/2025/);
  expect(shortTime("", now)).toBe("");
});

it("groups by the days of the calendar", () => {
  expect(timeGroup(ago(14 * HOUR), now)).toBe("Today");
  expect(timeGroup(ago(16 * HOUR), now)).toBe("Last week");
  expect(timeGroup(ago(8 * 24 * HOUR), now)).toBe("Older");
});
