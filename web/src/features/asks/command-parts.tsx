import { Mark, type MarkKind } from "@/components/mark";
import type { ExplainedPart } from "@/generated/daemon";
import { revealHidden } from "./shown";

const MARKS: Record<ExplainedPart["verdict"], MarkKind> = { allow: "done", ask: "needs-you", deny: "denied" };
const WORDS: Record<ExplainedPart["verdict"], string> = { allow: "needs nothing", ask: "asks", deny: "is denied" };

/** Of a line with several commands: which one asks, which needs nothing, and why. */
export function CommandParts({ parts }: { parts: readonly ExplainedPart[] }) {
  return (
    <ul aria-label="Commands of this line" className="flex flex-col gap-0.5 text-meta">
      {parts.map((part, place) => (
        <li key={place} className="flex items-baseline gap-2">
          <Mark kind={MARKS[part.verdict]} className="translate-y-0.5" />
          <code dir="ltr" title={part.command} className={`max-w-3/5 shrink-0 truncate text-code ${part.verdict === "allow" ? "text-fg3" : "text-fg1"}`}>
            {revealHidden(part.command)}
          </code>
          <span className="sr-only">{WORDS[part.verdict]}</span>
          <span title={part.reason} className="min-w-0 truncate text-fg3">
            {part.reason}
          </span>
        </li>
      ))}
    </ul>
  );
}
