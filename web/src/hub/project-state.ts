/** What the rail says of a project: one mark, one line of fact. */
import type { MarkKind } from "@/components/mark";
import type { Workspace } from "@/generated/hub";
import type { Badge } from "@/hub/shell-model";

export interface ProjectFact {
  mark: MarkKind;
  text: string;
  tone: "plain" | "ember" | "bad";
}

const FACTS: Record<Workspace["state"], ProjectFact> = {
  missing: { mark: "error", text: "Folder is missing", tone: "bad" },
  stopped: { mark: "asleep", text: "Not started", tone: "plain" },
  starting: { mark: "pending", text: "Starting", tone: "plain" },
  ready: { mark: "idle", text: "Idle", tone: "plain" },
  busy: { mark: "running", text: "Working", tone: "plain" },
  needs_you: { mark: "needs-you", text: "Waits for you", tone: "ember" },
  unresponsive: { mark: "interrupted", text: "Does not answer", tone: "bad" },
  crashed: { mark: "crashed", text: "Crashed", tone: "bad" },
  asleep: { mark: "asleep", text: "Asleep", tone: "plain" },
};

const ALIVE = new Set<Workspace["state"]>(["ready", "busy", "needs_you"]);

/** Whether its daemon is up. */
export function isAlive(workspace: Workspace): boolean {
  return ALIVE.has(workspace.state);
}

/** What to show of a project. Needs you comes before crashed, running and idle. */
export function factOf(workspace: Workspace, badge: Badge | undefined, opening: boolean): ProjectFact {
  if (opening) {
    return FACTS.starting;
  }
  if (isAlive(workspace) && badge !== undefined) {
    if (badge.waiting > 0) {
      return FACTS.needs_you;
    }
    if (badge.running > 0) {
      const text = badge.running === 1 ? "1 run" : `${badge.running} runs`;
      return { ...FACTS.busy, text };
    }
  }
  return FACTS[workspace.state];
}
