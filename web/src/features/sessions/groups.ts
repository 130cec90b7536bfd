import type { MarkKind } from "@/components/mark";
import type { SessionSummary } from "@/lib/protocol";
import { timeGroup } from "@/lib/relative-time";

export type GroupName = "Now" | "Pinned" | "Today" | "Last week" | "Older";

export interface Group {
  name: GroupName;
  rows: SessionSummary[];
}

const ORDER: readonly GroupName[] = ["Now", "Pinned", "Today", "Last week", "Older"];

function groupOf(row: SessionSummary, now: number): GroupName {
  if (row.activity !== "idle") {
    return "Now";
  }
  return row.pinned ? "Pinned" : timeGroup(row.updated_at, now);
}

interface Choice {
  archived: boolean;
  /** Words that the title must hold; "" for all. */
  words: string;
}

/** Give the groups of the list, youngest first in each; what waits for the person leads. */
export function groupRows(rows: readonly SessionSummary[], choice: Choice, now: number): Group[] {
  const words = choice.words.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = rows
    .filter((row) => row.archived === choice.archived)
    // A subagent is found in its parent's session, unless it works or waits for the person.
    .filter((row) => row.parent_id === null || row.activity !== "idle")
    .filter((row) => words.every((word) => titleOf(row).toLowerCase().includes(word)))
    .sort((a, b) => Number(b.activity === "needs_you") - Number(a.activity === "needs_you") || byAge(a, b));
  return ORDER.map((name) => ({ name, rows: chosen.filter((row) => groupOf(row, now) === name) })).filter(
    (group) => group.rows.length > 0,
  );
}

function byAge(a: SessionSummary, b: SessionSummary): number {
  return b.updated_at.localeCompare(a.updated_at) || a.id.localeCompare(b.id);
}

export function titleOf(row: Pick<SessionSummary, "title">): string {
  return row.title === "" ? "New session" : row.title;
}

const OUTCOME_MARKS: Record<NonNullable<SessionSummary["last_outcome"]>, MarkKind> = {
  completed: "done",
  interrupted: "interrupted",
  budget: "interrupted",
  refused_by_model: "denied",
  error: "error",
};

interface RowState {
  mark: MarkKind;
  /** The state in words, for who cannot see the mark. */
  words: string;
}

const OUTCOME_WORDS: Record<NonNullable<SessionSummary["last_outcome"]>, string> = {
  completed: "finished",
  interrupted: "stopped",
  budget: "stopped at its limit",
  refused_by_model: "refused by the model",
  error: "failed",
};

/** Give the mark of a row; `unread`: its run ended while another session was in front. */
export function stateOf(row: SessionSummary, unread: boolean): RowState {
  switch (row.activity) {
    case "needs_you":
      return { mark: "needs-you", words: "waits for you" };
    case "running":
      return { mark: "running", words: "running" };
    case "queued":
      return { mark: "pending", words: "waits for its turn" };
    case "idle":
      if (row.last_outcome === null) {
        return { mark: "idle", words: "idle" };
      }
      return {
        mark: unread && row.last_outcome === "completed" ? "unread" : OUTCOME_MARKS[row.last_outcome],
        words: `${OUTCOME_WORDS[row.last_outcome]}${unread ? ", unread" : ""}`,
      };
  }
}
