import type { RefObject } from "react";
import { useCallback, useRef } from "react";

const ARMING_MS = 500;

interface Armed {
  /** Goes on the card, with `onFocus` and `onBlur`. */
  onFocus: () => void;
  onBlur: (event: React.FocusEvent<HTMLElement>) => void;
  /** Whether keys may answer: the card has had focus long enough. */
  isArmed: () => boolean;
}

/** Keys answer a card only once it has had focus for half a second: nobody allows by typing on. */
export function useArmed(card: RefObject<HTMLElement | null>): Armed {
  const since = useRef<number | null>(null);
  const onFocus = useCallback(() => {
    since.current ??= performance.now();
  }, []);
  const onBlur = useCallback(
    (event: React.FocusEvent<HTMLElement>) => {
      if (!card.current?.contains(event.relatedTarget)) since.current = null;
    },
    [card],
  );
  const isArmed = useCallback(
    () => since.current !== null && performance.now() - since.current >= ARMING_MS,
    [],
  );
  return { onFocus, onBlur, isArmed };
}
