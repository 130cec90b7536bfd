import { ChevronDown, ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { Mark } from "@/components/mark";
import type { ToolCallPart } from "@/lib/protocol";
import { CallDetail, hasDetail } from "./call-detail";
import { callFacts, callMark, callName, hasFailed, stateWords } from "./call-facts";
import { Clock } from "./clock";
import type { CallsRow } from "./rows";

interface CallRowProps {
  row: CallsRow;
  /** The newest output of a running call. */
  progress: string | undefined;
  /** The first change of a run stands open. */
  firstChange: boolean;
}

/** A tool call as a node on the spine: one line, a well below on demand. */
export function CallRow({ row, progress, firstChange }: CallRowProps) {
  const [call] = row.calls;
  const [chosen, setChosen] = useState<boolean | null>(null);
  const detailId = useId();
  if (!call) return null;
  const can = hasDetail(row.calls, progress);
  const open = can && (chosen ?? opensByItself(call, firstChange));
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <article aria-label={callName(row.calls, row.waiting)} className="relative ps-7">
      {row.above ? <span aria-hidden="true" className="absolute start-[7px] top-0 h-1 w-px bg-line2" /> : null}
      {row.below ? <span aria-hidden="true" className="absolute start-[7px] top-6 bottom-0 w-px bg-line2" /> : null}
      <Mark kind={callMark(call, row.waiting)} className="absolute start-0 top-[7px]" />
      <button
        type="button"
        disabled={!can}
        aria-expanded={can ? open : undefined}
        aria-controls={open ? detailId : undefined}
        onClick={() => setChosen(!open)}
        className="flex w-full items-baseline gap-2 rounded-chip py-1 hover-fade enabled:hover:bg-bg3/60"
      >
        <RowText row={row} call={call} />
        {can ? <Chevron size={14} strokeWidth={1.6} aria-hidden="true" className="shrink-0 self-center text-fg3" /> : null}
      </button>
      {open ? (
        <div id={detailId} className="pt-0.5 pb-2">
          <CallDetail calls={row.calls} progress={progress} />
        </div>
      ) : null}
    </article>
  );
}

function RowText({ row, call }: { row: CallsRow; call: ToolCallPart }) {
  const { verb, target, facts, added, removed } = callFacts(row.calls);
  const words = stateWords(call, row.waiting);
  const quiet = call.state === "pending" && !row.waiting;
  return (
    <>
      <span className={`shrink-0 text-ui font-semibold ${quiet ? "text-fg3" : "text-fg1"}`}>{verb}</span>
      <bdi dir="ltr" title={target} className="min-w-0 grow truncate font-mono text-code text-fg2">
        {target}
      </bdi>
      <span className="flex shrink-0 items-baseline gap-2 text-meta text-fg3 tabular">
        {words ? <span className={wordsColour(call, row.waiting)}>{words}</span> : null}
        {added ? <span className="text-live">+{added}</span> : null}
        {removed ? <span className="text-bad">−{removed}</span> : null}
        {call.state === "running" && call.started_at !== null && !row.waiting ? <Clock since={call.started_at} /> : null}
        {words || added !== undefined
          ? null
          : facts.map((fact) => (
              <span key={fact} className={hasFailed(call) && fact === call.result?.summary ? "text-bad" : undefined}>
                {fact}
              </span>
            ))}
      </span>
    </>
  );
}

function wordsColour(call: ToolCallPart, waiting: boolean): string {
  if (waiting) return "text-ember";
  if (call.state === "interrupted") return "text-ochre";
  return call.state === "error" ? "text-bad" : "text-fg3";
}

function opensByItself(call: ToolCallPart, firstChange: boolean): boolean {
  if (call.state === "running") return call.tool === "bash" || call.tool === "task";
  return hasFailed(call) || call.state === "interrupted" || firstChange;
}
