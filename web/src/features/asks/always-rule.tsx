import { Bookmark } from "lucide-react";
import { Rehearsal } from "./rehearsal";

interface AlwaysRuleProps {
  rules: string[];
  /** The page can ask the daemon what a rule would have covered. */
  rehearsable?: boolean;
}

/** What "Always" would store, every rule of it, or why there is no such button. */
export function AlwaysRule({ rules, rehearsable = false }: AlwaysRuleProps) {
  return (
    <div className="flex items-start gap-2 rounded-control bg-ember-soft px-2.5 py-1.5 text-meta text-fg2">
      <Bookmark size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
      {rules.length === 0 ? (
        <span>It cannot be allowed for always: no rule would cover this and nothing else.</span>
      ) : (
        <div className="min-w-0 grow break-words">
          “Always” would store{" "}
          {rules.map((rule, index) => (
            <span key={rule}>
              {index === 0 ? "" : index === rules.length - 1 ? " and " : ", "}
              <code dir="ltr" className="font-medium text-fg1">
                {rule}
              </code>
            </span>
          ))}{" "}
          · here only
          {rehearsable ? rules.map((rule) => <Rehearsal key={rule} rule={rule} named={rules.length > 1} />) : null}
        </div>
      )}
    </div>
  );
}
