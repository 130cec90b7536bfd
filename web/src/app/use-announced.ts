import { useEffect, useRef } from "react";
import { announce, announceNow } from "@/lib/announce";
import { useFrame } from "@/lib/frame-state";
import { milestones } from "@/lib/milestones";
import type { SessionState } from "@/lib/protocol";

/** Say what happens in the session in front; a hidden page is silent, the hub speaks for it. */
export function useAnnounced(state: SessionState | undefined): void {
  const before = useRef<SessionState>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = state;
    if (last === undefined || state === undefined || last.session_id !== state.session_id) {
      return;
    }
    if (last.seq === state.seq || !useFrame.getState().visible) {
      return;
    }
    const { polite, assertive } = milestones(last, state);
    polite.forEach(announce);
    assertive.forEach(announceNow);
  }, [state]);
}
