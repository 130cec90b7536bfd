import { ChevronDown, type LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";

interface PickerButtonProps extends Omit<ComponentProps<"button">, "children"> {
  icon: LucideIcon;
  /** What is chosen. */
  label: string;
  /** What is chosen here, for a screen reader: "Mode". */
  subject: string;
  tone?: "plain" | "bad";
}

/** Opens a menu and shows what is chosen in it. */
export function PickerButton({ icon: Icon, label, subject, tone = "plain", ...rest }: PickerButtonProps) {
  return (
    <button
      type="button"
      aria-label={`${subject}: ${label}`}
      className={`flex h-7 min-w-0 items-center gap-1.5 rounded-control px-1.5 text-ui hover-fade hover:bg-bg3 data-[state=open]:bg-bg3 ${tone === "bad" ? "font-semibold text-bad" : "text-fg2 hover:text-fg1"}`}
      {...rest}
    >
      <Icon size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0" />
      <span className="truncate @max-[360px]:hidden">{label}</span>
      <ChevronDown size={14} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3 @max-[480px]:hidden" />
    </button>
  );
}
