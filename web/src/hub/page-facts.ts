/** What each kept page said of itself: which session is in front, and which sessions it has. */
import { create } from "zustand";
import { tellFrame } from "@/hub/frame-link";
import { useShell } from "@/hub/shell-store";
import type { PageMessage, SessionEntry } from "@/lib/hub-messages";

interface PageFacts {
  fronts: Readonly<Record<string, string | null>>;
  sessions: Readonly<Record<string, readonly SessionEntry[]>>;
}

export const usePageFacts = create<PageFacts>()(() => ({ fronts: {}, sessions: {} }));

/** Take what a page says of itself; false when the message is about something else. */
export function takePageFact(id: string, message: PageMessage): boolean {
  if (message.type === "front") {
    usePageFacts.setState(({ fronts }) => ({ fronts: { ...fronts, [id]: message.session_id } }));
    return true;
  }
  if (message.type === "sessions") {
    usePageFacts.setState(({ sessions }) => ({ sessions: { ...sessions, [id]: message.items } }));
    return true;
  }
  return false;
}

/** Ask every kept page for its sessions. */
export function askForSessions(): void {
  for (const id of Object.keys(useShell.getState().frames)) {
    tellFrame(id, { type: "sessions.wanted" });
  }
}
