import { type PointerEvent as ReactPointerEvent, useRef, useState } from "react";
import { placeAt } from "@/hub/rail-order";

/** A press that moves less is a click. */
const SLACK_PX = 6;

interface Drag {
  id: string;
  /** Where it would come to stand. */
  place: number;
}

interface Press {
  id: string;
  from: number;
  startY: number;
  middles: readonly number[];
  place: number | null;
}

function middlesOf(list: Element): number[] {
  return [...list.children].map((row) => {
    const { top, height } = row.getBoundingClientRect();
    return top + height / 2;
  });
}

/** Moves the rows of a list by the pointer; the browser's own drag would be refused by the window. */
export function useRailDrag(onMove: (id: string, place: number) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const press = useRef<Press | null>(null);

  const begin = (id: string, from: number) => (event: ReactPointerEvent<HTMLElement>) => {
    const list = event.currentTarget.closest("ul");
    if (event.button === 0 && list !== null) {
      press.current = { id, from, startY: event.clientY, middles: middlesOf(list), place: null };
    }
  };
  const move = (event: ReactPointerEvent<HTMLElement>) => {
    const now = press.current;
    if (now === null || (now.place === null && Math.abs(event.clientY - now.startY) < SLACK_PX)) {
      return;
    }
    if (now.place === null) {
      event.currentTarget.setPointerCapture(event.pointerId);
    }
    now.place = placeAt(now.middles, now.from, event.clientY);
    setDrag({ id: now.id, place: now.place });
  };
  const end = () => {
    const now = press.current;
    press.current = null;
    setDrag(null);
    if (now !== null && now.place !== null && now.place !== now.from) {
      onMove(now.id, now.place);
    }
    return now?.place != null;
  };
  const cancel = () => {
    press.current = null;
    setDrag(null);
  };
  return { drag, begin, move, end, cancel };
}
