import type { SessionSummary } from "@/lib/protocol";

/** A row of the list; what is not given is of an idle session that finished. */
export function row(id: string, given: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id,
    title: id,
    mode: "default",
    model: null,
    archived: false,
    pinned: false,
    parent_id: null,
    created_at: "2026-03-01T08:00:00Z",
    updated_at: "2026-03-01T09:00:00Z",
    activity: "idle",
    fact: "",
    last_outcome: "completed",
    message_count: 2,
    ...given,
  };
}
