import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button } from "@/components/button";
import { Mark } from "@/components/mark";
import { Skeleton } from "@/components/skeleton";
import { useArmed } from "@/features/asks/use-armed";
import type { InboxAnswerInput, InboxItem } from "@/generated/hub";
import { ItemTile } from "@/hub/inbox/item-tile";
import { openSession, sayHub } from "@/hub/shell-actions";
import type { Answering, CardKeysRef } from "./answering";
import { answerItem } from "./inbox-actions";
import { waitingWords } from "./inbox-words";
import { PermissionAsk } from "./permission-ask";
import { QuestionAsk } from "./question-ask";
import { useDetail } from "./use-detail";

/** A daemon on this machine answers far sooner. */
const SLOW_MS = 500;

interface WaitingCardProps {
  item: InboxItem;
  now: number;
  /** It was answered or withdrawn in another place. */
  gone: boolean;
  tabStop: boolean;
  onAnswered: (id: string) => void;
}

/** Send the answer, and know what became of it. */
function useAnswer(item: InboxItem, inert: boolean, onAnswered: (id: string) => void) {
  const [sending, setSending] = useState(false);
  const [elsewhere, setElsewhere] = useState(false);
  const [refused, setRefused] = useState("");
  const answer = (given: InboxAnswerInput) => {
    if (sending || inert) {
      return;
    }
    setSending(true);
    setRefused("");
    answerItem(item.id, given).then(
      ({ outcome }) => {
        if (outcome === "elsewhere") {
          setElsewhere(true);
        } else {
          onAnswered(item.id);
        }
      },
      (error: unknown) => {
        setSending(false);
        setRefused(sayHub(error));
      },
    );
  };
  return { sending, elsewhere, refused, answer };
}

/** One thing that waits, with the whole of what is asked. */
export function WaitingCard({ item, now, gone, tabStop, onAnswered }: WaitingCardProps) {
  const card = useRef<HTMLElement>(null);
  const keysRef: CardKeysRef = useRef(null);
  const armed = useArmed(card);
  const { sending, elsewhere, refused, answer } = useAnswer(item, gone, onAnswered);
  const open = () => {
    if (item.session_id !== null) {
      openSession(item.workspace_id, item.session_id);
    }
  };
  return (
    <article
      ref={card}
      data-inbox-item={item.id}
      aria-label={`${item.workspace_name}, ${item.title}: ${item.detail}`}
      tabIndex={tabStop ? 0 : -1}
      onFocus={armed.onFocus}
      onBlur={armed.onBlur}
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === card.current) {
          event.preventDefault();
          open();
        } else {
          keysRef.current?.(event);
        }
      }}
      className="flex gap-3 border-t border-ember-line/50 px-4 py-3.5 -outline-offset-4 first:rounded-t-card first:border-t-0 last:rounded-b-card focus-within:bg-ember-soft"
    >
      <ItemTile item={item} />
      <div className="min-w-0 grow">
        <header className="flex items-baseline gap-2.5">
          <span className="min-w-0 truncate text-meta text-fg3">
            <span className="font-semibold text-fg2">{item.workspace_name}</span>
            <bdi className="ms-2.5">{item.title === "" ? "New session" : item.title}</bdi>
          </span>
          <span className="tabular ms-auto shrink-0 text-meta text-ember">{gone ? "" : waitingWords(item.at, now)}</span>
        </header>
        {gone || elsewhere ? (
          <Over>{elsewhere ? "Answered elsewhere" : "Answered or withdrawn elsewhere"}</Over>
        ) : (
          <Ask item={item} answering={{ sending, isArmed: armed.isArmed, answer, open }} keysRef={keysRef} />
        )}
        {refused === "" ? null : (
          <p role="alert" className="mt-2 text-ui text-bad">
            {refused}
          </p>
        )}
      </div>
    </article>
  );
}

/** Buttons that are shown too soon would move from under the hand once the whole is there. */
function useSlow(): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => { setSlow(true); }, SLOW_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, []);
  return slow;
}

interface AskProps {
  item: InboxItem;
  answering: Answering;
  keysRef: CardKeysRef;
}

/** What is asked, as a whole once it is there. */
function Ask({ item, answering, keysRef }: AskProps) {
  const { detail, problem, again } = useDetail(item.id);
  const slow = useSlow();
  if (detail?.request != null) {
    return <PermissionAsk request={detail.request} answering={answering} keysRef={keysRef} />;
  }
  if (detail?.question != null) {
    return <QuestionAsk question={detail.question} answering={answering} keysRef={keysRef} />;
  }
  return slow || problem !== "" ? (
    <Unseen item={item} problem={problem} answering={answering} onAgain={again} />
  ) : (
    <Skeleton className="mt-2 h-20 w-full rounded-well" />
  );
}

function Over({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="mt-1 flex items-center gap-2 text-ui text-fg2">
      <Mark kind="done" /> {children}
    </p>
  );
}

interface UnseenProps {
  item: InboxItem;
  problem: string;
  answering: Answering;
  onAgain: () => void;
}

/** Until the whole is there, or where it cannot be had: what may be answered without it. */
function Unseen({ item, problem, answering, onAgain }: UnseenProps) {
  return (
    <>
      <p className="mt-0.5 truncate text-compose font-semibold">{item.detail}</p>
      {problem === "" ? null : <p className="mt-1 text-ui text-fg2">{problem}</p>}
      <div className="mt-2.5 flex flex-wrap items-center gap-2">
        {item.buttons.includes("allow_once") ? (
          <Button variant="ember" size="small" disabled={answering.sending} onClick={() => { answering.answer({ action: "allow_once" }); }}>
            Allow once
          </Button>
        ) : null}
        <Button variant={item.buttons.includes("allow_once") ? "secondary" : "ember"} size="small" onClick={answering.open}>
          Review…
        </Button>
        {item.buttons.includes("deny") ? (
          <Button variant="danger" size="small" disabled={answering.sending} onClick={() => { answering.answer({ action: "deny" }); }}>
            Deny
          </Button>
        ) : null}
        {problem === "" ? null : (
          <Button variant="quiet" size="small" onClick={onAgain}>
            Look again
          </Button>
        )}
      </div>
    </>
  );
}
