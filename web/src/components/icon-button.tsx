import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Tooltip } from "@/components/tooltip";

interface IconButtonProps extends Omit<ComponentProps<"button">, "children" | "aria-label"> {
  icon: LucideIcon;
  /** What it does: its accessible name and its tooltip. */
  label: string;
  keys?: string;
  /** Stays pressed, as a switch does. */
  pressed?: boolean;
}

/** A button with an icon alone; says what it does on hover and to a screen reader. */
export function IconButton({ icon: Icon, label, keys, pressed, className = "", ...rest }: IconButtonProps) {
  const look = pressed === true ? "bg-bg3 text-fg1" : "text-fg2";
  return (
    <Tooltip label={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        className={`inline-flex size-7 shrink-0 items-center justify-center rounded-control hover-fade hover:bg-bg3 hover:text-fg1 active:translate-y-px disabled:pointer-events-none disabled:opacity-40 data-[state=open]:bg-bg3 ${look} ${className}`}
        {...rest}
      >
        <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
      </button>
    </Tooltip>
  );
}
