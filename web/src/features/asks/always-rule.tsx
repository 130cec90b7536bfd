import { Bookmark } from "lucide-react";

/** What "Always" would store, every rule of it, or why there is no such button. */
export function AlwaysRule({ rules }: { rules: string[] }) {
  return (
    <p className="flex items-start gap-2 rounded-control bg-ember-soft px-2.5 py-1.5 text-meta text-fg2">
      <Bookmark size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
      {rules.length === 0 ? (
        <span>It cannot be allowed for always: no rule would cover this and nothing else.</span>
      ) : (
        <span className="min-w-0 break-words">
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
        </span>
      )}
    </p>
  );
}
