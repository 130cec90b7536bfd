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

/** How many things wait there: the hub's word, or the page's own until the hub has heard. */
export function waitingIn(workspace: Workspace, badge: Badge | undefined): number {
  return Math.max(workspace.waiting || 0, isAlive(workspace) ? (badge?.waiting ?? 0) : 0);
}

/** What goes on where the daemon is up. Needs you comes before running, unread and idle. */
function liveFact(workspace: Workspace, badge: Badge | undefined, asked: string): ProjectFact {
  if (waitingIn(workspace, badge) > 0) {
    return { ...FACTS.needs_you, text: asked || FACTS.needs_you.text };
  }
  const running = Math.max(workspace.running || 0, badge?.running ?? 0);
  if (running > 0) {
    return { ...FACTS.busy, text: running === 1 ? workspace.fact || "1 run" : `${running} runs` };
  }
  if (workspace.unread > 0) {
    return { mark: "unread", text: workspace.unread === 1 ? "Finished" : `${workspace.unread} finished`, tone: "plain" };
  }
  return FACTS.ready;
}

/** What to show of a project: one mark and one line. `asked` is what waits longest there, in words. */
export function factOf(workspace: Workspace, badge: Badge | undefined, opening: boolean, asked = ""): ProjectFact {
  if (opening) {
    return FACTS.starting;
  }
  return isAlive(workspace) ? liveFact(workspace, badge, asked) : FACTS[workspace.state];
}
