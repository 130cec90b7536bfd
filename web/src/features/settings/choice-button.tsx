import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";

interface ChoiceButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** What is chosen. */
  label: string;
  /** What is chosen here, for a screen reader: "This project uses". */
  subject: string;
}

/** Opens a menu of choices, and shows the one that applies. */
export function ChoiceButton({ label, subject, className = "", ...rest }: ChoiceButtonProps) {
  return (
    <button
      type="button"
      aria-label={`${subject}: ${label}`}
      className={`flex h-8 w-64 items-center gap-2 rounded-control border border-line3 bg-bg2 px-3 text-ui hover-fade hover:bg-bg3 ${className}`}
      {...rest}
    >
      <span className="min-w-0 grow truncate">{label}</span>
      <ChevronDown size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3" />
    </button>
  );
}
