import { useEffect, useRef } from "react";

/** Esc does this wherever the keyboard is, unless a layer above takes it. null: it does nothing. */
export function useEscape(act: (() => void) | null): void {
  const latest = useRef(act);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const above = document.querySelector('[role="dialog"], [role="menu"]') !== null;
      if (event.key === "Escape" && !event.defaultPrevented && !event.isComposing && !above && latest.current !== null) {
        event.preventDefault();
        latest.current();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => {
      window.removeEventListener("keydown", onKey);
    };
  }, []);
}
