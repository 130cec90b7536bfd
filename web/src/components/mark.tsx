import { useTurn } from "@/hooks/use-turn";

export type MarkKind =
  | "running"
  | "needs-you"
  | "unread"
  | "done"
  | "idle"
  | "error"
  | "interrupted"
  | "pending"
  | "crashed"
  | "asleep"
  | "denied";

interface MarkProps {
  kind: MarkKind;
  /** Said to a screen reader; without it the text beside the mark must say the state. */
  label?: string;
  className?: string;
}

const FLAME =
  "M16.1 14.2c3 3 4.3 5.2 4.3 7.5a4.4 4.4 0 0 1-8.8 0c0-1.5.7-2.8 1.7-3.9.4.9.9 1.5 1.5 1.9.1-2.1.6-3.8 1.3-5.5z";

const COLOURS: Record<MarkKind, string> = {
  running: "text-live",
  "needs-you": "text-ember-mark",
  unread: "text-info",
  done: "text-fg3",
  idle: "text-fg3",
  error: "text-bad",
  interrupted: "text-ochre",
  pending: "text-fg3",
  crashed: "text-bad",
  asleep: "text-fg3",
  denied: "text-fg3",
};

const SHAPES: Record<Exclude<MarkKind, "running" | "needs-you">, React.ReactNode> = {
  unread: <circle cx="7" cy="7" r="3.5" fill="currentColor" />,
  done: <path d="m2.6 7.5 3 3 5.8-6.6" strokeWidth="1.75" />,
  idle: <circle cx="7" cy="7" r="3.4" strokeWidth="1.6" />,
  error: <path d="m3.2 3.2 7.6 7.6m0-7.6-7.6 7.6" strokeWidth="2.1" />,
  interrupted: (
    <>
      <circle cx="7" cy="7" r="5.2" strokeWidth="1.6" />
      <path d="M4.7 7h4.6" strokeWidth="1.6" />
    </>
  ),
  pending: <circle cx="7" cy="7" r="5.2" strokeWidth="1.6" strokeDasharray="1.7 2.38" strokeLinecap="butt" />,
  crashed: (
    <>
      <path d="M7 1.6 13 12.2H1z" fill="currentColor" strokeWidth="1.4" />
      <path d="M7 5.4v3.1M7 10.4v.1" stroke="var(--color-bg1)" strokeWidth="1.5" />
    </>
  ),
  asleep: <path d="M5.2 2.2a5.2 5.2 0 1 0 6.7 6.7A4.6 4.6 0 0 1 5.2 2.2z" strokeWidth="1.5" />,
  denied: (
    <>
      <circle cx="7" cy="7" r="5.2" strokeWidth="1.5" />
      <path d="m3.5 10.5 7-7" strokeWidth="1.5" />
    </>
  ),
};

function RunningMark() {
  const turns = useTurn();
  return (
    <g className={turns ? "origin-center animate-turn" : undefined}>
      <circle cx="7" cy="7" r="5.2" strokeWidth="2" opacity="0.28" />
      <path d={turns ? "M7 1.8A5.2 5.2 0 0 1 9.6 11.5" : "M7 1.8A5.2 5.2 0 1 1 1.8 7"} strokeWidth="2" />
    </g>
  );
}

/** The state of a thing: each has its own silhouette, colour only helps. */
export function Mark({ kind, label, className = "" }: MarkProps) {
  return (
    <svg
      width="14"
      height="14"
      viewBox={kind === "needs-you" ? "9 13.15 14 14" : "0 0 14 14"}
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      data-mark={kind}
      role={label === undefined ? undefined : "img"}
      aria-label={label}
      aria-hidden={label === undefined ? true : undefined}
      className={`shrink-0 ${COLOURS[kind]} ${className}`}
    >
      {kind === "needs-you" ? (
        <path d={FLAME} fill="currentColor" stroke="none" />
      ) : kind === "running" ? (
        <RunningMark />
      ) : (
        SHAPES[kind]
      )}
    </svg>
  );
}
