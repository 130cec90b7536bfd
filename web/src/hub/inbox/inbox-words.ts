/** What the inbox says of its items. Pure. */
import type { MarkKind } from "@/components/mark";
import type { InboxItem } from "@/generated/hub";

const NUMBERS = ["Nothing", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve"];

/** "Three things wait for you" */
export function waitingHeading(count: number): string {
  const number = NUMBERS[count] ?? count.toLocaleString();
  return count === 1 ? "One thing waits for you" : `${number} things wait for you`;
}

/** "waiting 41 s", "waiting 9 min", then since when. */
export function waitingWords(at: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(at)) / 1000));
  if (seconds < 60) {
    return `waiting ${seconds} s`;
  }
  if (seconds < 3600) {
    return `waiting ${Math.floor(seconds / 60)} min`;
  }
  const clock = new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit", hour12: false });
  return `waiting since ${clock}`;
}

/** "12 s", "3 min", "1 h 20 min"; "" when it is not known. */
export function durationWords(seconds: number | null): string {
  if (seconds === null) {
    return "";
  }
  if (seconds < 60) {
    return `${Math.round(seconds)} s`;
  }
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min`;
  }
  const rest = minutes % 60;
  return rest === 0 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 60)} h ${rest} min`;
}

export const ENDED_MARKS: Record<"failed" | "finished" | "crashed", MarkKind> = {
  failed: "error",
  finished: "unread",
  crashed: "crashed",
};

/** The name of an ended item for a screen reader. */
export function endedWords(item: InboxItem): string {
  const state = { failed: "failed", finished: "finished", crashed: "crashed" }[item.kind as "failed"];
  return [item.workspace_name, state, item.title, item.detail].filter((text) => text !== "").join(", ");
}

export type InboxFilter = "all" | "waiting" | "ended";

/** Tell what waits from what ended; each stays in the order it came in. */
export function split(items: readonly InboxItem[]): { waiting: InboxItem[]; ended: InboxItem[] } {
  return { waiting: items.filter(({ waiting }) => waiting), ended: items.filter(({ waiting }) => !waiting) };
}
