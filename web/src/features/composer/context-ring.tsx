import { Tooltip } from "@/components/tooltip";

interface ContextRingProps {
  /** Tokens of the last call to the model, where the provider said so. */
  used: number | null | undefined;
  /** Tokens the model can hold, where that is known. */
  window: number | null | undefined;
}

const RADIUS = 5.2;
const AROUND = 2 * Math.PI * RADIUS;

function thousands(tokens: number): string {
  return tokens < 1000 ? String(tokens) : `${Math.round(tokens / 1000)}k`;
}

/** How full the model's context is; nothing where that is not known. */
export function ContextRing({ used, window }: ContextRingProps) {
  if (used == null || window == null || window <= 0) {
    return null;
  }
  const share = Math.min(used / window, 1);
  const percent = Math.round(share * 100);
  const colour = percent >= 85 ? "text-bad" : percent >= 70 ? "text-ochre" : "text-fg2";
  return (
    <Tooltip label={`Context: ${thousands(used)} of ${thousands(window)} tokens`}>
      <span
        tabIndex={0}
        role="img"
        aria-label={`Context ${percent} % full, ${thousands(used)} of ${thousands(window)} tokens`}
        className="tabular flex shrink-0 items-center gap-1.5 rounded-chip px-1 text-ui text-fg2"
      >
        <svg width="16" height="16" viewBox="0 0 14 14" fill="none" strokeWidth="2.2" aria-hidden="true" className={colour}>
          <circle cx="7" cy="7" r={RADIUS} className="stroke-line2" />
          <circle
            cx="7"
            cy="7"
            r={RADIUS}
            stroke="currentColor"
            strokeLinecap="round"
            strokeDasharray={`${AROUND * share} ${AROUND}`}
            transform="rotate(-90 7 7)"
          />
        </svg>
        <span className="@max-[420px]:hidden">{percent}%</span>
      </span>
    </Tooltip>
  );
}
