import { useCallback, useId, useSyncExternalStore } from "react";

const MOST_AT_ONCE = 6;
const mounted = new Map<string, () => void>();

function mayTurn(id: string): boolean {
  let place = 0;
  for (const other of mounted.keys()) {
    if (other === id) {
      return true;
    }
    place += 1;
    if (place >= MOST_AT_ONCE) {
      return false;
    }
  }
  return false;
}

/** Whether a running mark may turn: at most six do at once. */
export function useTurn(): boolean {
  const id = useId();
  const subscribe = useCallback(
    (notify: () => void) => {
      mounted.set(id, notify);
      return () => {
        mounted.delete(id);
        for (const wake of mounted.values()) {
          wake();
        }
      };
    },
    [id],
  );
  return useSyncExternalStore(subscribe, () => mayTurn(id));
}
