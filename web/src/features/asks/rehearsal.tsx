import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState } from "react";
import type { Rehearsal as Rehearsed } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { revealHidden, splitShown } from "./shown";

/** What a rule would have meant for what was asked here so far; asked for only when it is opened. */
export function Rehearsal({ rule, named }: { rule: string; named: boolean }) {
  const [open, setOpen] = useState(false);
  const { data, error } = useQuery({
    queryKey: ["rehearsed", rule],
    queryFn: ({ signal }) => api.post<Rehearsed>("/api/permissions/rehearse", { rule }, { signal }),
    enabled: open,
  });
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => { setOpen(!open); }}
        className="inline-flex max-w-full items-center gap-1 rounded-chip font-medium text-fg2 hover-fade hover:text-fg1"
      >
        <span className="truncate">What would {named ? <code dir="ltr">{rule}</code> : "it"} have covered?</span>
        <Chevron size={13} strokeWidth={1.75} aria-hidden="true" />
      </button>
      {!open ? null : data === undefined ? (
        <p role="status" className={error === null ? "text-fg3" : "text-bad"}>
          {error === null ? "Looking through what was asked here…" : sentenceOf(error)}
        </p>
      ) : (
        <Found found={data} />
      )}
    </div>
  );
}

function Found({ found }: { found: Rehearsed }) {
  const { examined, covered, near, examples } = found;
  return (
    <div role="group" aria-label="Rehearsal" tabIndex={0} className="mt-1 flex max-h-40 flex-col gap-1.5 overflow-y-auto">
      <p>
        {examined === 0
          ? "Nothing was asked here before."
          : `Of the last ${examined} ${examined === 1 ? "ask" : "asks"} here it would have covered ${covered.length === 0 ? "none" : covered.length}.`}
      </p>
      {covered.length === 0 ? null : (
        <ul className="flex flex-col">
          {covered.map((ask) => (
            <li key={`${ask.at} ${ask.shown}`} className="flex gap-2">
              <Shown shown={ask.shown} />
              {ask.times > 1 ? <span className="tabular shrink-0 text-fg3">{ask.times} times</span> : null}
            </li>
          ))}
        </ul>
      )}
      {near.length === 0 ? null : (
        <>
          <p>Close to it, and still asked:</p>
          <ul className="flex flex-col">
            {near.map(({ ask, reason }) => (
              <li key={`${ask.at} ${ask.shown}`} className="flex gap-2">
                <Shown shown={ask.shown} />
                <span className="min-w-0 truncate text-fg3" title={reason}>
                  {reason}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      {examples.length === 0 ? null : (
        <>
          <p>Where it ends:</p>
          <ul className="flex flex-col">
            {examples.map(({ command, verdict, reason }) => (
              <li key={command} className="flex gap-2">
                <code dir="ltr" className="max-w-3/5 shrink-0 truncate text-code text-fg1">
                  {revealHidden(command)}
                </code>
                <span className="min-w-0 truncate text-fg3" title={reason}>
                  {verdict === "allow" ? "allowed" : verdict === "deny" ? "denied" : "asked"}
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Shown({ shown }: { shown: string }) {
  const { head, body } = splitShown(shown);
  const text = revealHidden(body.split("\n")[0] ?? "") || head;
  return (
    <code dir="ltr" title={shown} className="max-w-3/5 shrink-0 truncate text-code text-fg1">
      {text}
    </code>
  );
}
