import type { RefObject } from "react";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_END = 48;

export interface Stick {
  /** Goes on the scrolling element; its first child is the content. */
  scrollerRef: RefObject<HTMLDivElement | null>;
  /** New text may arrive below without being seen. */
  isAway: boolean;
  follow: () => void;
  /** Something above is looked at. */
  release: () => void;
  onScroll: () => void;
}

/**
 * Keeps a scrolling element at its end while the person is there.
 *
 * Any scroll up releases at once; only coming back to the end, the pill or sending sticks again.
 * `version` changes whenever the content may have grown.
 */
export function useStick(version: unknown): Stick {
  const element = useRef<HTMLDivElement>(null);
  const [isAway, setAway] = useState(false);
  const sticks = useRef(true);
  const lastTop = useRef(0);

  const follow = useCallback(() => {
    sticks.current = true;
    setAway(false);
    toEnd(element.current);
  }, []);

  const release = useCallback(() => {
    sticks.current = false;
    setAway(true);
  }, []);

  const onScroll = useCallback(() => {
    const scroller = element.current;
    if (!scroller) return;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (scroller.scrollTop < lastTop.current - 1 && left > NEAR_END) sticks.current = false;
    else if (left <= NEAR_END) sticks.current = true;
    lastTop.current = scroller.scrollTop;
    setAway(!sticks.current);
  }, []);

  useLayoutEffect(() => {
    if (sticks.current) toEnd(element.current);
  }, [version]);

  useEffect(() => {
    const scroller = element.current;
    const content = scroller?.firstElementChild;
    if (!scroller || !content) return;
    // Rows are measured after they are painted, and code is coloured later still.
    const observer = new ResizeObserver(() => {
      if (sticks.current) toEnd(scroller);
    });
    observer.observe(content);
    observer.observe(scroller);
    return () => observer.disconnect();
  }, []);

  return { scrollerRef: element, isAway, follow, release, onScroll };
}

function toEnd(scroller: HTMLElement | null): void {
  scroller?.scrollTo({ top: scroller.scrollHeight });
}
