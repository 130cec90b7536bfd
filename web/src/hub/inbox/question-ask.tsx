import { type FormEvent, useEffect, useState } from "react";
import { Button } from "@/components/button";
import { Kbd } from "@/components/kbd";
import type { Question } from "@/generated/hub";
import { isComposing } from "@/lib/composing";
import { type Answering, type CardKeysRef, OpenSession } from "./answering";

interface QuestionAskProps {
  question: Question;
  answering: Answering;
  keysRef: CardKeysRef;
}

/** The agent's question: a choice answers it at once; several at once are answered in the session. */
export function QuestionAsk({ question, answering, keysRef }: QuestionAskProps) {
  const [item] = question.items;
  const isSimple = question.items.length === 1 && item !== undefined && !item.multiple;
  const choose = (label: string) => {
    answering.answer({ action: "answer", answers: [{ selected: [label], text: "" }] });
  };
  useEffect(() => {
    keysRef.current = (event) => {
      const option = isSimple ? item.options[Number(event.key) - 1] : undefined;
      const typing = event.target instanceof HTMLInputElement;
      if (option !== undefined && !typing && !event.ctrlKey && !event.altKey && !event.metaKey && answering.isArmed()) {
        event.preventDefault();
        choose(option.label);
      }
    };
    return () => {
      keysRef.current = null;
    };
  });
  if (!isSimple) {
    return (
      <>
        <ul className="mt-0.5 text-compose font-semibold">
          {question.items.map(({ text }) => (
            <li key={text} dir="auto">
              {text}
            </li>
          ))}
        </ul>
        <div className="mt-2.5 flex gap-2">
          <Button variant="ember" size="small" onClick={answering.open}>
            Answer in the session
          </Button>
        </div>
      </>
    );
  }
  return (
    <>
      <h3 dir="auto" className="mt-0.5 text-compose font-semibold">
        {item.text}
      </h3>
      <div role="group" aria-label={item.text} className="mt-2 grid grid-cols-[repeat(auto-fill,minmax(12rem,1fr))] gap-2">
        {item.options.map((option, place) => (
          <button
            key={option.label}
            type="button"
            disabled={answering.sending}
            onClick={() => { choose(option.label); }}
            className="flex items-start gap-3 rounded-well border border-line2 px-2.5 py-2 hover-fade hover:bg-bg3 disabled:opacity-50"
          >
            <Kbd keys={String(place + 1)} className="mt-0.5" />
            <span className="min-w-0">
              <span dir="auto" className="block text-ui font-semibold">
                {option.label}
              </span>
              {option.description === "" ? null : (
                <span dir="auto" className="block text-meta text-fg2">
                  {option.description}
                </span>
              )}
            </span>
          </button>
        ))}
      </div>
      {question.spend === null ? (
        <OwnWords answering={answering} />
      ) : (
        <div className="mt-2 flex">
          <OpenSession onOpen={answering.open} />
        </div>
      )}
    </>
  );
}

function OwnWords({ answering }: { answering: Answering }) {
  const [text, setText] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") {
      answering.answer({ action: "answer", answers: [{ selected: [], text: text.trim() }] });
    }
  };
  return (
    <form onSubmit={onSubmit} className="mt-2 flex flex-wrap items-center gap-2">
      <input
        type="text"
        value={text}
        maxLength={4000}
        placeholder="Something else…"
        aria-label="Something else"
        disabled={answering.sending}
        onChange={(event) => { setText(event.target.value); }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && isComposing(event)) {
            event.preventDefault();
          }
        }}
        className="h-7 min-w-40 grow basis-0 rounded-control border border-dashed border-line3 bg-bg2 px-2.5 text-ui"
      />
      {text.trim() === "" ? (
        <Button
          variant="quiet"
          size="small"
          disabled={answering.sending}
          onClick={() => { answering.answer({ action: "answer", answers: [{ selected: [], text: "" }] }); }}
        >
          Let the agent decide
        </Button>
      ) : (
        <Button type="submit" variant="ember" size="small" disabled={answering.sending}>
          Answer
        </Button>
      )}
      <OpenSession onOpen={answering.open} />
    </form>
  );
}
