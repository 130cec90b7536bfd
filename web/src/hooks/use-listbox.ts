import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { isComposing } from "@/lib/composing";

interface Listbox {
  /** Goes on the text field: it keeps the focus while the arrows move in the list. */
  field: {
    role: "combobox";
    "aria-expanded": true;
    "aria-controls": string;
    "aria-autocomplete": "list";
    "aria-activedescendant": string | undefined;
    onKeyDown: (event: KeyboardEvent) => void;
  };
  list: { id: string; role: "listbox" };
  option: (id: string) => {
    id: string;
    role: "option";
    "aria-selected": boolean;
    onMouseMove: () => void;
    onClick: () => void;
  };
  active: string | null;
}

function moved(key: string, place: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return (place + 1) % count;
    case "ArrowUp":
      return (place - 1 + count) % count;
    case "PageDown":
      return Math.min(place + 8, count - 1);
    case "PageUp":
      return Math.max(place - 8, 0);
    default:
      return null;
  }
}

/**
 * A list under a text field: arrows move, Enter takes, the pointer does both. `ids` are the options
 * in their order; the first one is active until the person moves.
 */
export function useListbox(ids: readonly string[], onPick: (id: string) => void): Listbox {
  const base = useId();
  const [moveTo, setMoveTo] = useState<string | null>(null);
  const active = moveTo !== null && ids.includes(moveTo) ? moveTo : (ids[0] ?? null);
  const elementId = (id: string) => `${base}-${ids.indexOf(id)}`;
  const activeElement = active === null ? undefined : elementId(active);

  useEffect(() => {
    if (moveTo !== null && activeElement !== undefined) {
      document.getElementById(activeElement)?.scrollIntoView({ block: "nearest" });
    }
  }, [moveTo, activeElement]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event) || active === null) {
      return;
    }
    if (event.key === "Enter") {
      event.preventDefault();
      onPick(active);
      return;
    }
    const next = moved(event.key, ids.indexOf(active), ids.length);
    if (next !== null) {
      event.preventDefault();
      setMoveTo(ids[next] ?? null);
    }
  };

  return {
    field: {
      role: "combobox",
      "aria-expanded": true,
      "aria-controls": base,
      "aria-autocomplete": "list",
      "aria-activedescendant": activeElement,
      onKeyDown,
    },
    list: { id: base, role: "listbox" },
    option: (id) => ({
      id: elementId(id),
      role: "option",
      "aria-selected": id === active,
      onMouseMove: () => { setMoveTo(id); },
      onClick: () => { onPick(id); },
    }),
    active,
  };
}
