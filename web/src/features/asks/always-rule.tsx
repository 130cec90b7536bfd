import { Bookmark } from "lucide-react";

/** What "Always" would store, or why there is no such button. */
export function AlwaysRule({ rule }: { rule: string | undefined }) {
  return (
    <p className="flex items-start gap-2 rounded-control bg-ember-soft px-2.5 py-1.5 text-meta text-fg2">
      <Bookmark size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
      {rule === undefined ? (
        <span>It cannot be allowed for always: no rule would cover this and nothing else.</span>
      ) : (
        <span className="min-w-0 break-words">
          “Always” would store <code dir="ltr" className="font-medium text-fg1">{rule}</code> · here only
        </span>
      )}
    </p>
  );
}
