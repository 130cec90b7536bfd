import * as Radix from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "@/components/icon-button";
import { useFocusBack } from "@/hooks/use-focus-back";

interface DialogProps {
  open: boolean;
  onClose: () => void;
  title: string;
  /** One sentence under the title. */
  description?: ReactNode;
  children?: ReactNode;
  /** The buttons, main one last. */
  footer?: ReactNode;
  width?: "small" | "large";
}

/** Focus begins where one types, else on the dialog itself: never on a button that acts. */
function focusFirst(event: Event): void {
  event.preventDefault();
  const dialog = event.target as HTMLElement;
  (dialog.querySelector<HTMLElement>("input, textarea") ?? dialog).focus();
}

/** A question or a task in front of everything; Esc closes it and focus goes back to its opener. */
export function Dialog({ open, onClose, title, description, children, footer, width = "small" }: DialogProps) {
  const { note, giveBack } = useFocusBack();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-40 flex items-center justify-center p-5">
          <Radix.Content
            onOpenAutoFocus={(event) => {
              note();
              focusFirst(event);
            }}
            onCloseAutoFocus={giveBack}
            {...(description === undefined ? { "aria-describedby": undefined } : {})}
            className={`pointer-events-auto flex max-h-full w-full animate-rise flex-col rounded-dialog border border-line2 bg-bg1 shadow-2 outline-none ${width === "small" ? "max-w-120" : "max-w-270"}`}
          >
            <header className="flex items-start gap-3 px-6 pt-5">
              <div className="min-w-0 grow">
                <Radix.Title className="heading text-h3 break-words">{title}</Radix.Title>
                {description === undefined ? null : (
                  <Radix.Description className="mt-1.5 text-ui text-fg2">{description}</Radix.Description>
                )}
              </div>
              <Radix.Close asChild>
                <IconButton icon={X} label="Close" keys="Esc" className="-mr-2" />
              </Radix.Close>
            </header>
            <div className="min-h-0 overflow-y-auto px-6 py-4">{children}</div>
            {footer === undefined ? null : (
              <footer className="flex flex-wrap items-center justify-end gap-2 rounded-b-dialog border-t border-line1 bg-bg2 px-6 py-3.5">
                {footer}
              </footer>
            )}
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}
