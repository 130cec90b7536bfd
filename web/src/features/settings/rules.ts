/** The person's rules of a project, as a list to look at and as what the daemon takes. Pure. */
import type { RuleLists, RulesInput } from "@/generated/daemon";

export const VERDICTS = ["deny", "ask", "allow"] as const;
export type RuleVerdict = (typeof VERDICTS)[number];

export interface Rule {
  verdict: RuleVerdict;
  text: string;
  /** Why it matches nothing; "" when it is read. */
  problem: string;
}

/** Give all rules in the order in which they decide. */
export function rulesOf(lists: RuleLists): Rule[] {
  return VERDICTS.flatMap((verdict) =>
    lists[verdict].map((text) => ({
      verdict,
      text,
      problem: lists.problems.find((problem) => problem.includes(text)) ?? "",
    })),
  );
}

const copyOf = ({ allow, ask, deny }: RuleLists): Required<RulesInput> => ({
  allow: [...allow],
  ask: [...ask],
  deny: [...deny],
});

/** Give the lists with one more rule; one that is there already is not doubled. */
export function withRule(lists: RuleLists, verdict: RuleVerdict, text: string): RulesInput {
  const next = copyOf(lists);
  if (!next[verdict].includes(text)) {
    next[verdict].push(text);
  }
  return next;
}

/** Give the lists without a rule. */
export function withoutRule(lists: RuleLists, { verdict, text }: Rule): RulesInput {
  const next = copyOf(lists);
  next[verdict] = next[verdict].filter((other) => other !== text);
  return next;
}
