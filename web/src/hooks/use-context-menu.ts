import { type KeyboardEvent, type MouseEvent, useRef, useState } from "react";

/** Whether a key asks for the menu of what has the focus. */
function asksForMenu({ key, shiftKey }: KeyboardEvent): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey);
}

/** A field keeps the menu that the system gives it, for copying and pasting. */
function isField(target: EventTarget): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

/** What a menu needs to be opened by its row. */
export interface ContextMenu {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onCloseAutoFocus: (event: Event) => void;
}

/**
 * Lets a row open its menu by the right button, a long press, Shift+F10 and the menu key too:
 * `row` goes onto the row, `menu` onto its menu. Focus goes back to where it was opened from.
 */
export function useContextMenu() {
  const [open, setOpen] = useState(false);
  const opener = useRef<HTMLElement | null>(null);
  const show = (event: MouseEvent<HTMLElement> | KeyboardEvent<HTMLElement>) => {
    if (!isField(event.target)) {
      event.preventDefault();
      opener.current = event.currentTarget.querySelector("button");
      setOpen(true);
    }
  };
  const menu: ContextMenu = {
    open,
    onOpenChange: setOpen,
    onCloseAutoFocus: (event) => {
      if (opener.current?.isConnected === true) {
        event.preventDefault();
        opener.current.focus();
      }
      opener.current = null;
    },
  };
  return {
    row: {
      onContextMenu: show,
      onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
        if (asksForMenu(event)) {
          show(event);
        }
      },
    },
    menu,
  };
}
