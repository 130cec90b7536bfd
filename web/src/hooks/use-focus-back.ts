import { useRef } from "react";

/** Gives focus back to what had it before a layer opened: without a trigger of its own, Radix does not. */
export function useFocusBack() {
  const before = useRef<Element | null>(null);
  return {
    /** Call it as the layer opens, before focus moves into it. */
    note: () => {
      before.current = document.activeElement;
    },
    /** Goes on the layer as `onCloseAutoFocus`. */
    giveBack: (event: Event) => {
      const opener = before.current;
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) {
        event.preventDefault();
        opener.focus();
      }
    },
  };
}
