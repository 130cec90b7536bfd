import { PenLine } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useEffect, useRef, useState } from "react";
import { Button } from "@/components/button";
import { Kbd } from "@/components/kbd";
import type { Question, QuestionAnswer } from "@/lib/protocol";
import { CardFrame } from "./card-frame";
import { useArmed } from "./use-armed";

interface QuestionCardProps {
  question: Question;
  place: string | null;
  onAnswer: (answers: QuestionAnswer[]) => Promise<void>;
  takesFocus: boolean;
}

type Item = Question["items"][number];
const NOTHING: QuestionAnswer = { selected: [], text: "" };

/** The agent's question: options with number keys, own words, or leave it to the agent. */
export function QuestionCard({ question, place, onAnswer, takesFocus }: QuestionCardProps) {
  const card = useRef<HTMLElement>(null);
  const armed = useArmed(card);
  const [answers, setAnswers] = useState<QuestionAnswer[]>(() => question.items.map(() => NOTHING));
  const [sending, setSending] = useState(false);
  const [problem, setProblem] = useState("");
  const first = question.items[0];
  const title = question.items.length === 1 && first ? first.text : `${question.items.length} questions`;

  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, [takesFocus, question.id]);

  const answer = (place: number, next: QuestionAnswer) =>
    setAnswers((all) => all.map((each, index) => (index === place ? next : each)));
  const send = (all: QuestionAnswer[]) => {
    if (sending) return;
    setSending(true);
    onAnswer(all).catch((error: unknown) => {
      setSending(false);
      setProblem(error instanceof Error ? error.message : "The answer did not arrive. Try again.");
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const option = first?.options[Number(event.key) - 1];
    const typing = event.target instanceof HTMLInputElement && event.target.type === "text";
    if (!option || !first || question.items.length > 1 || typing || !armed.isArmed()) return;
    event.preventDefault();
    answer(0, chosen(first, answers[0] ?? NOTHING, option.label));
  };

  const isAnswered = answers.every((each) => each.selected.length > 0 || each.text.trim());
  return (
    <CardFrame
      ref={card}
      label={title}
      title={title}
      place={place}
      since={question.created_at}
      onKeyDown={onKeyDown}
      onFocus={armed.onFocus}
      onBlur={armed.onBlur}
    >
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isAnswered) send(answers);
        }}
      >
        {question.items.map((item, index) => (
          <Choices
            key={index}
            item={item}
            heading={question.items.length > 1}
            answer={answers[index] ?? NOTHING}
            onChange={(next) => answer(index, next)}
          />
        ))}
        {problem ? (
          <p role="alert" className="text-ui text-bad">
            {problem}
          </p>
        ) : null}
        <div className="flex items-center gap-2">
          <Button type="submit" variant="ember" keys="Enter" disabled={sending || !isAnswered}>
            Answer
          </Button>
          <Button variant="quiet" disabled={sending} onClick={() => send(question.items.map(() => NOTHING))}>
            Let the agent decide
          </Button>
        </div>
      </form>
    </CardFrame>
  );
}

interface ChoicesProps {
  item: Item;
  heading: boolean;
  answer: QuestionAnswer;
  onChange: (answer: QuestionAnswer) => void;
}

function Choices({ item, heading, answer, onChange }: ChoicesProps) {
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className={heading ? "pb-1.5 text-ui font-medium" : "sr-only"}>{item.text}</legend>
      {item.options.map((option, index) => {
        const isChosen = answer.selected.includes(option.label);
        return (
          <label
            key={option.label}
            className={`flex items-start gap-3 rounded-well border px-3 py-2 hover-fade has-focus-visible:outline-2 has-focus-visible:outline-info ${isChosen ? "border-ember-line bg-ember-soft" : "border-line1 hover:bg-bg3"}`}
          >
            <input
              type={item.multiple ? "checkbox" : "radio"}
              name={item.text}
              checked={isChosen}
              onChange={() => onChange(chosen(item, answer, option.label))}
              className="mt-1 accent-(--color-ember-solid)"
            />
            <span className="min-w-0 grow">
              <span dir="auto" className="block text-ui font-semibold">{option.label}</span>
              {option.description ? <span dir="auto" className="block text-meta text-fg2">{option.description}</span> : null}
            </span>
            {heading ? null : <Kbd keys={String(index + 1)} />}
          </label>
        );
      })}
      <span className="flex items-center gap-3 rounded-well border border-dashed border-line2 px-3 py-1">
        <PenLine size={14} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg3" />
        <input
          type="text"
          value={answer.text}
          maxLength={4000}
          placeholder="Something else…"
          aria-label={`Something else: ${item.text}`}
          onChange={(event) => onChange({ selected: [], text: event.target.value })}
          className="h-7 min-w-0 grow bg-transparent text-ui outline-none"
        />
      </span>
    </fieldset>
  );
}

function chosen(item: Item, answer: QuestionAnswer, label: string): QuestionAnswer {
  if (!item.multiple) return { selected: [label], text: "" };
  const has = answer.selected.includes(label);
  const selected = has ? answer.selected.filter((each) => each !== label) : [...answer.selected, label];
  return { selected, text: "" };
}
