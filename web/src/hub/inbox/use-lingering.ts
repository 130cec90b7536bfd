import { useEffect, useRef, useState } from "react";
import type { InboxItem } from "@/generated/hub";

const LINGER_MS = 1_500;

export interface Lingering {
  item: InboxItem;
  /** It waits no more, and nobody here has answered it: said for a moment. */
  gone: boolean;
}

/**
 * Give what waits, and for a moment what stopped waiting without an answer from here: a card that
 * vanishes under the hand would leave one wondering. `answered` are those answered here.
 */
export function useLingering(waiting: readonly InboxItem[], answered: ReadonlySet<string>): Lingering[] {
  const [gone, setGone] = useState<readonly InboxItem[]>([]);
  const before = useRef<readonly InboxItem[]>(waiting);
  const timers = useRef(new Set<number>());

  useEffect(() => {
    const ids = new Set(waiting.map(({ id }) => id));
    const left = before.current.filter(({ id }) => !ids.has(id) && !answered.has(id));
    before.current = waiting;
    if (left.length === 0) {
      return;
    }
    setGone((now) => [...now, ...left]);
    const timer = window.setTimeout(() => {
      timers.current.delete(timer);
      setGone((now) => now.filter((item) => !left.includes(item)));
    }, LINGER_MS);
    timers.current.add(timer);
  }, [waiting, answered]);

  useEffect(() => {
    const all = timers.current;
    return () => {
      for (const timer of all) {
        window.clearTimeout(timer);
      }
    };
  }, []);

  const present = new Set(waiting.map(({ id }) => id));
  const lingering = gone.filter(({ id }) => !present.has(id)).map((item) => ({ item, gone: true }));
  return [...waiting.map((item) => ({ item, gone: false })), ...lingering].sort((a, b) => a.item.at.localeCompare(b.item.at));
}
