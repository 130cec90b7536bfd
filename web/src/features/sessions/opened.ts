/** Where the list of sessions is a drawer, whether it is open; and whether its search is wanted. */
import { create } from "zustand";

interface SessionsList {
  drawer: boolean;
  /** The search field takes the focus as soon as it is there. */
  searchWanted: boolean;
}

export const useSessionsList = create<SessionsList>()(() => ({ drawer: false, searchWanted: false }));

export function openSessions(): void {
  useSessionsList.setState({ drawer: true });
}

export function closeSessions(): void {
  useSessionsList.setState({ drawer: false });
}

/** Go to the search, wherever the list is. */
export function openSearch(): void {
  useSessionsList.setState({ drawer: true, searchWanted: true });
}
