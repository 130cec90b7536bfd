import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/button";
import type { Question, QuestionAnswer } from "@/lib/protocol";
import { CardFrame } from "./card-frame";
import { useArmed } from "./use-armed";

interface SpendCardProps {
  question: Question;
  place: string | null;
  onAnswer: (answers: QuestionAnswer[]) => Promise<void>;
  takesFocus: boolean;
}

/** Whether a run may spend more than its cap: go on or stop, nothing else. */
export function SpendCard({ question, place, onAnswer, takesFocus }: SpendCardProps) {
  const card = useRef<HTMLElement>(null);
  const armed = useArmed(card);
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState("");
  const item = question.items[0];
  const options = item?.options ?? [];

  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, [takesFocus, question.id]);

  const choose = (label: string) => {
    if (sending) return;
    setSending(true);
    onAnswer([{ selected: [label], text: "" }]).catch((error: unknown) => {
      setSending(false);
      setProblem(error instanceof Error ? error.message : "The answer did not arrive. Try again.");
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const option = options[Number(event.key) - 1];
    if (option === undefined || !armed.isArmed()) return;
    event.preventDefault();
    choose(option.label);
  };

  return (
    <CardFrame
      ref={card}
      label="Spend more?"
      title="Spend more?"
      place={place}
      since={question.created_at}
      onKeyDown={onKeyDown}
      onFocus={armed.onFocus}
      onBlur={armed.onBlur}
    >
      <p className="text-ui tabular">{item?.text}</p>
      {problem ? (
        <p role="alert" className="text-ui text-bad">
          {problem}
        </p>
      ) : null}
      <div className="flex flex-wrap items-center gap-2">
        {options.map((option, index) => (
          <Button
            key={option.label}
            variant={index === 0 ? "ember" : "quiet"}
            keys={String(index + 1)}
            title={option.description}
            disabled={sending}
            onClick={() => choose(option.label)}
          >
            {option.label}
          </Button>
        ))}
        <span className="text-meta text-fg2 tabular">{options[0]?.description}</span>
      </div>
    </CardFrame>
  );
}
