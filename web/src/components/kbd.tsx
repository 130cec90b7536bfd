interface KbdProps {
  /** A key or a chord with spaces, as "Ctrl J". */
  keys: string;
  /** Takes its colours from the button it sits on. */
  inherit?: boolean;
  className?: string;
}

/** A key, shown on what it does. */
export function Kbd({ keys, inherit = false, className = "" }: KbdProps) {
  const colours = inherit ? "border-current/40" : "border-line2 text-fg3";
  return (
    <kbd
      aria-hidden="true"
      className={`inline-flex h-4.5 min-w-4.5 shrink-0 items-center justify-center rounded-chip border px-1 text-label font-medium ${colours} ${className}`}
    >
      {keys}
    </kbd>
  );
}
