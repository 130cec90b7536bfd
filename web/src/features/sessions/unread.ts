/** Which sessions ended a run while another one was in front; known to this page alone. */
import { create } from "zustand";
import { useEvents } from "@/lib/events/store";
import { useFrontSession } from "@/lib/front-session";

export const useUnread = create<Readonly<Record<string, true>>>()(() => ({}));

function markRead(id: string | null): void {
  if (id !== null && useUnread.getState()[id] === true) {
    const { [id]: _, ...rest } = useUnread.getState();
    useUnread.setState(rest, true);
  }
}

/** Watch runs end, until the function it gives is called. */
export function startUnread(): () => void {
  const stopRows = useEvents.subscribe(({ rows }, before) => {
    if (rows === before.rows || rows === null || before.rows === null) {
      return;
    }
    const front = useFrontSession.getState().id;
    for (const row of Object.values(rows)) {
      const was = before.rows[row.id]?.activity ?? "idle";
      if (was !== "idle" && row.activity === "idle" && row.id !== front) {
        useUnread.setState({ [row.id]: true });
      }
    }
  });
  const stopFront = useFrontSession.subscribe(({ id }) => {
    markRead(id);
  });
  return () => {
    stopRows();
    stopFront();
  };
}
