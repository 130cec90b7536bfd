/** What a list of steps comes to. Pure. */
import type { TodoStep } from "@/generated/daemon";

export interface Progress {
  done: number;
  /** How many are to be done: what was dropped counts no more. */
  total: number;
  /** The step that is worked on, else the next one; null when none is left. */
  current: TodoStep | null;
}

export function progressOf(steps: readonly TodoStep[]): Progress {
  const kept = steps.filter(({ state }) => state !== "cancelled");
  return {
    done: kept.filter(({ state }) => state === "done").length,
    total: kept.length,
    current: kept.find(({ state }) => state === "in_progress") ?? kept.find(({ state }) => state === "pending") ?? null,
  };
}

/** "3 of 7" */
export function countWords({ done, total }: Progress): string {
  return `${done} of ${total}`;
}
