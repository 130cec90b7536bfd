import type { RuleVerdict } from "./rules";

const LOOKS: Record<RuleVerdict, { word: string; look: string }> = {
  deny: { word: "Deny", look: "bg-bad-soft text-bad" },
  ask: { word: "Ask", look: "bg-ember-soft text-ember" },
  allow: { word: "Allow", look: "bg-live-soft text-live" },
};

/** What a rule does, or what would happen. */
export function Verdict({ verdict, word }: { verdict: RuleVerdict; word?: string }) {
  const { word: usual, look } = LOOKS[verdict];
  return (
    <span className={`inline-flex h-5 min-w-12 shrink-0 items-center justify-center rounded-chip px-1.5 text-meta font-semibold ${look}`}>
      {word ?? usual}
    </span>
  );
}
