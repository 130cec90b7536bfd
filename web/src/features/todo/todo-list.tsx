import { ChevronDown, ChevronUp } from "lucide-react";
import { useId } from "react";
import { Mark, type MarkKind } from "@/components/mark";
import type { TodoStep } from "@/generated/daemon";
import { useTodoOpen } from "./opened";
import { countWords, progressOf } from "./progress";

interface TodoListProps {
  sessionId: string;
  steps: readonly TodoStep[];
  /** The agent is at work: the step it is at turns. */
  running: boolean;
}

interface Look {
  mark: MarkKind;
  words: string;
  text: string;
}

function lookOf({ state }: TodoStep, running: boolean): Look {
  switch (state) {
    case "pending":
      return { mark: "idle", words: "to do", text: "text-fg2" };
    case "in_progress":
      return { mark: running ? "running" : "pending", words: "in progress", text: "font-semibold text-fg1" };
    case "done":
      return { mark: "done", words: "done", text: "text-fg3" };
    case "cancelled":
      return { mark: "denied", words: "dropped", text: "text-fg3 line-through" };
  }
}

/** The agent's list of steps, over the composer: one line with what it is at, and the whole on demand. */
export function TodoList({ sessionId, steps, running }: TodoListProps) {
  const id = useId();
  const [open, setOpen] = useTodoOpen(sessionId);
  if (steps.length === 0) {
    return null;
  }
  const progress = progressOf(steps);
  const { current } = progress;
  const Chevron = open ? ChevronDown : ChevronUp;
  const what = current === null ? "All steps are done" : current.text;
  const mark = current === null ? "done" : lookOf(current, running).mark;
  return (
    <section aria-label="Steps" data-region="todo" className="rounded-well border border-line1 bg-bg1 text-ui">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        aria-label={`${countWords(progress)} steps: ${what}`}
        onClick={() => { setOpen(!open); }}
        className="flex min-h-8.5 w-full items-center gap-2 rounded-well px-3 text-start hover-fade hover:bg-hover"
      >
        <Mark kind={mark} />
        <span className="tabular shrink-0 text-fg2">{countWords(progress)}</span>
        <span dir="auto" className="min-w-0 grow truncate">
          {what}
        </span>
        <Chevron size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3" />
      </button>
      {open ? (
        <ol id={id} tabIndex={0} aria-label="All steps" className="max-h-[min(15rem,35vh)] overflow-y-auto border-t border-line1 py-1.5 -outline-offset-2">
          {steps.map((step, place) => (
            <StepLine key={place} step={step} look={lookOf(step, running)} />
          ))}
        </ol>
      ) : null}
    </section>
  );
}

function StepLine({ step, look }: { step: TodoStep; look: Look }) {
  return (
    <li aria-current={step.state === "in_progress" ? "step" : undefined} className="flex gap-2 px-3 py-1">
      <Mark kind={look.mark} className="mt-0.75" label={look.words} />
      <span dir="auto" className={`min-w-0 break-words ${look.text}`}>
        {step.text}
      </span>
    </li>
  );
}
