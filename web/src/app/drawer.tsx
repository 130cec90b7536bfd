import * as Radix from "@radix-ui/react-dialog";
import type { ReactNode } from "react";

interface DrawerProps {
  open: boolean;
  /** Takes the whole page. */
  wide: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Focus begins on the session in front, from where arrows go on. */
function focusCurrent(event: Event): void {
  event.preventDefault();
  const drawer = event.target as HTMLElement;
  const wanted = drawer.querySelector<HTMLElement>("[data-wanted]");
  (wanted ?? drawer.querySelector<HTMLElement>("[aria-current], [data-session]") ?? drawer).focus();
}

/** The list of sessions where there is no room beside the session. */
export function Drawer({ open, wide, onClose, children }: DrawerProps) {
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-30 animate-fade bg-scrim" />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusCurrent}
          className={`fixed inset-y-0 start-0 z-30 animate-fade border-e border-line1 shadow-2 outline-none ${wide ? "w-full" : "w-(--container-sessions)"}`}
        >
          <Radix.Title className="sr-only">Sessions</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
