/** Times as the person reads them: relative up to an hour, then the clock, then the day. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** "now", "9m", "11:20", "Thu", "28 Nov" or "28 Nov 2025". */
export function shortTime(at: string, now: number): string {
  const time = Date.parse(at);
  if (Number.isNaN(time)) {
    return "";
  }
  const age = now - time;
  if (age < MINUTE) {
    return "now";
  }
  if (age < HOUR) {
    return `${Math.floor(age / MINUTE)}m`;
  }
  const date = new Date(time);
  if (time >= startOfDay(now)) {
    return date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  }
  if (time >= startOfDay(now) - 6 * DAY) {
    return date.toLocaleDateString(undefined, { weekday: "short" });
  }
  const sameYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, {
    day: "numeric",
    month: "short",
    ...(sameYear ? {} : { year: "numeric" }),
  });
}

export type TimeGroup = "Today" | "Last week" | "Older";

export function timeGroup(at: string, now: number): TimeGroup {
  const time = Date.parse(at);
  if (time >= startOfDay(now)) {
    return "Today";
  }
  return time >= startOfDay(now) - 7 * DAY ? "Last week" : "Older";
}
