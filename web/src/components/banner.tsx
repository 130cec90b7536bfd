import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface BannerProps {
  icon: LucideIcon;
  tone?: "plain" | "bad" | "warning";
  children: ReactNode;
  /** A quiet fact at the end, as "try 2". */
  fact?: string;
  action?: { label: string; onSelect: () => void };
  /** Said at once by a screen reader. */
  assertive?: boolean;
}

const TONES = {
  plain: "bg-bg3 text-fg1",
  warning: "bg-bg3 text-fg1",
  bad: "bg-bad-soft text-fg1",
};
const ICONS = { plain: "text-fg1", warning: "text-ochre", bad: "text-bad" };

/** One line, one action, above the transcript; it pushes, never covers. */
export function Banner({ icon: Icon, tone = "plain", children, fact, action, assertive }: BannerProps) {
  return (
    <div
      role={assertive === true ? "alert" : "status"}
      className={`flex min-h-8.5 animate-rise items-center gap-2.5 rounded-control px-3 py-1.5 text-ui ${TONES[tone]}`}
    >
      <Icon size={15} strokeWidth={1.75} aria-hidden="true" className={`shrink-0 ${ICONS[tone]}`} />
      <span className="min-w-0 grow">{children}</span>
      {fact === undefined ? null : <span className="tabular shrink-0 text-meta text-fg3">{fact}</span>}
      {action === undefined ? null : (
        <button
          type="button"
          onClick={action.onSelect}
          className="shrink-0 rounded-chip px-1 py-0.5 font-semibold hover:underline"
        >
          {action.label}
        </button>
      )}
    </div>
  );
}
