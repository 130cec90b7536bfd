import { useEffect, useState } from "react";
import type { InboxItem } from "@/generated/hub";

const LINGER_MS = 1_500;

export interface Lingering {
  item: InboxItem;
  /** It waits no more, and nobody here has answered it: said for a moment. */
  gone: boolean;
}

const idsOf = (items: readonly InboxItem[]) => new Set(items.map(({ id }) => id));

/**
 * Give what waits, and for a moment what stopped waiting without an answer from here: a card that
 * vanishes under the hand would leave one wondering. `answered` are those answered here.
 */
export function useLingering(waiting: readonly InboxItem[], answered: ReadonlySet<string>): Lingering[] {
  const [before, setBefore] = useState(waiting);
  const [gone, setGone] = useState<readonly InboxItem[]>([]);
  const present = idsOf(waiting);
  if (waiting.length !== before.length || before.some(({ id }) => !present.has(id))) {
    // While rendering, so that no frame is painted without the card.
    setBefore(waiting);
    const left = before.filter(({ id }) => !present.has(id) && !answered.has(id));
    if (left.length > 0) {
      setGone((now) => [...now, ...left]);
    }
  }
  useEffect(() => {
    if (gone.length === 0) {
      return;
    }
    const timer = window.setTimeout(() => { setGone([]); }, LINGER_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [gone]);

  const lingering = gone.filter(({ id }) => !present.has(id)).map((item) => ({ item, gone: true }));
  return [...waiting.map((item) => ({ item, gone: false })), ...lingering].sort((a, b) => a.item.at.localeCompare(b.item.at));
}
