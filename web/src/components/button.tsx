import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";
import { Kbd } from "@/components/kbd";

export type ButtonVariant = "primary" | "ember" | "secondary" | "quiet" | "danger";

interface ButtonProps extends ComponentProps<"button"> {
  variant?: ButtonVariant;
  size?: "small" | "medium" | "large";
  icon?: LucideIcon;
  /** The key that does the same, shown on the button. */
  keys?: string;
}

const VARIANTS: Record<ButtonVariant, string> = {
  primary: "bg-ink text-on-ink border-transparent hover:bg-ink/88",
  ember: "bg-ember-solid text-on-ember border-transparent hover:bg-ember-solid/88",
  secondary: "bg-control text-fg1 border-control-line shadow-control hover:bg-control-hover",
  quiet: "text-fg2 border-transparent hover:bg-bg3 hover:text-fg1",
  danger: "bg-control text-bad border-control-line shadow-control hover:bg-bad-soft",
};

const SIZES = {
  small: "h-7 px-2.5 gap-1.5",
  medium: "h-8 px-3 gap-2",
  large: "h-9 px-4 gap-2.5",
};

/** A button with words. Ember is for what awaits the person, and nothing else. */
export function Button({
  variant = "secondary",
  size = "medium",
  icon: Icon,
  keys,
  className = "",
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      className={`inline-flex shrink-0 items-center justify-center rounded-control border text-ui font-semibold whitespace-nowrap select-none hover-fade active:translate-y-px disabled:pointer-events-none disabled:opacity-50 ${VARIANTS[variant]} ${SIZES[size]} ${className}`}
      {...rest}
    >
      {Icon === undefined ? null : <Icon size={15} strokeWidth={1.75} aria-hidden="true" />}
      {children}
      {keys === undefined ? null : <Kbd keys={keys} inherit />}
    </button>
  );
}
