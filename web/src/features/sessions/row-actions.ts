import type { SessionSummary } from "@/lib/protocol";

/** What a row of the list can have done to its session. */
export interface RowActions {
  open: (id: string) => void;
  rename: (id: string | null) => void;
  patch: (id: string, change: { title?: string; archived?: boolean; pinned?: boolean }) => void;
  remove: (row: SessionSummary) => void;
}
