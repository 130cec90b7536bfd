import * as Radix from "@radix-ui/react-tooltip";
import type { ReactElement } from "react";
import { Kbd } from "@/components/kbd";

interface TooltipProps {
  label: string;
  keys?: string;
  children: ReactElement;
}

export function TooltipProvider({ children }: { children: React.ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200} disableHoverableContent>
      {children}
    </Radix.Provider>
  );
}

/** Focus that a closing menu gives back is no reason to explain the button again. */
function onlyForKeys(event: React.FocusEvent<HTMLElement>): void {
  if (!event.currentTarget.matches(":focus-visible")) {
    event.preventDefault();
  }
}

/** The name of a control and its key, on hover and on focus. */
export function Tooltip({ label, keys, children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild onFocus={onlyForKeys}>
        {children}
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="pointer-events-none z-50 flex animate-fade items-center gap-2 rounded-control border border-line2 bg-bg2 px-2 py-1 text-meta text-fg1 shadow-2 select-none"
        >
          {label}
          {keys === undefined ? null : <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
