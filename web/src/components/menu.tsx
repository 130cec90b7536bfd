import * as Radix from "@radix-ui/react-dropdown-menu";
import type { LucideIcon } from "lucide-react";
import { Check } from "lucide-react";
import type { ReactElement, ReactNode } from "react";
import { Kbd } from "@/components/kbd";

interface MenuProps {
  /** The button that opens it. */
  trigger: ReactElement;
  children: ReactNode;
  align?: "start" | "end";
  side?: "top" | "bottom" | "right";
  /** Whether it is open, where more than its button opens it. */
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
  /** The menu's name for a screen reader when the trigger does not say it. */
  label?: string;
  /** Gets the event of focus going back on close; prevent its default to send it elsewhere. */
  onCloseAutoFocus?: (event: Event) => void;
}

/** A menu under a button. */
export function Menu({ trigger, children, align = "start", side = "bottom", label, onCloseAutoFocus, ...state }: MenuProps) {
  return (
    <Radix.Root {...state}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          aria-label={label}
          onCloseAutoFocus={onCloseAutoFocus}
          className="z-40 max-h-(--radix-dropdown-menu-content-available-height) max-w-96 min-w-52 animate-rise overflow-y-auto rounded-sheet border border-line2 bg-bg2 p-1 text-ui shadow-2 select-none"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

const ITEM =
  "flex items-start gap-2.5 rounded-control px-2.5 py-1.5 outline-none data-disabled:opacity-50 data-highlighted:bg-bg3";

interface MenuItemProps {
  label: ReactNode;
  icon?: LucideIcon;
  /** A second line. */
  description?: string;
  keys?: string;
  danger?: boolean;
  disabled?: boolean;
  onSelect: () => void;
}

export function MenuItem({ label, icon: Icon, description, keys, danger, disabled, onSelect }: MenuItemProps) {
  return (
    <Radix.Item
      className={`${ITEM} ${danger === true ? "text-bad" : ""}`}
      disabled={disabled}
      onSelect={onSelect}
    >
      {Icon === undefined ? null : (
        <Icon size={15} strokeWidth={1.6} aria-hidden="true" className="mt-0.5 shrink-0 text-fg2" />
      )}
      <MenuText label={label} description={description} />
      {keys === undefined ? null : <Kbd keys={keys} />}
    </Radix.Item>
  );
}

function MenuText({ label, description }: { label: ReactNode; description?: string }) {
  return (
    <span className="min-w-0 grow">
      <span className="block truncate">{label}</span>
      {description === undefined ? null : <span className="block text-meta text-fg3">{description}</span>}
    </span>
  );
}

interface MenuChoiceProps extends Omit<MenuItemProps, "onSelect" | "keys"> {
  value: string;
}

export function MenuChoices(props: {
  value: string;
  onChange: (value: string) => void;
  label?: string;
  children: ReactNode;
}) {
  return (
    <Radix.RadioGroup value={props.value} onValueChange={props.onChange} aria-label={props.label}>
      {props.children}
    </Radix.RadioGroup>
  );
}

/** One of several; the chosen one has a tick. */
export function MenuChoice({ value, label, icon: Icon, description, danger, disabled }: MenuChoiceProps) {
  return (
    <Radix.RadioItem
      value={value}
      disabled={disabled}
      className={`${ITEM} ${danger === true ? "text-bad" : ""}`}
    >
      {Icon === undefined ? null : (
        <Icon size={15} strokeWidth={1.6} aria-hidden="true" className="mt-0.5 shrink-0 text-fg2" />
      )}
      <MenuText label={label} description={description} />
      <span className="mt-0.5 size-4 shrink-0">
        <Radix.ItemIndicator>
          <Check size={16} strokeWidth={1.75} aria-hidden="true" />
        </Radix.ItemIndicator>
      </span>
    </Radix.RadioItem>
  );
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return (
    <Radix.Label className="px-2.5 pt-1.5 pb-1 text-label font-medium text-fg3">{children}</Radix.Label>
  );
}

export function MenuSeparator() {
  return <Radix.Separator className="mx-1 my-1 h-px bg-line1" />;
}
