import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/components/button";
import { EmptyState } from "@/components/empty-state";
import { Kbd } from "@/components/kbd";
import { Logo } from "@/components/logo";
import { Segments } from "@/components/segments";
import type { InboxItem } from "@/generated/hub";
import { useEscape } from "@/hooks/use-escape";
import { useNow } from "@/hooks/use-now";
import { workspacesOf } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { showProjectView } from "@/hub/view";
import { EndedRow } from "./ended-row";
import { dismissItems } from "./inbox-actions";
import { type InboxFilter, split, waitingHeading } from "./inbox-words";
import { useLingering } from "./use-lingering";
import { WaitingCard } from "./waiting-card";

const NONE: readonly InboxItem[] = [];
const NOBODY: ReadonlySet<string> = new Set();

function useInbox() {
  const items = useShell((shell) => shell.state?.inbox ?? NONE);
  const [answered, setAnswered] = useState(NOBODY);
  const { waiting, ended } = split(items.filter(({ id }) => !answered.has(id)));
  const cards = useLingering(waiting, answered);
  return { waiting, ended, cards, note: (id: string) => { setAnswered((now) => new Set(now).add(id)); } };
}

function itemElements(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>("[data-inbox-item]")];
}

/** J and K, or the arrows, go from item to item; a field keeps its own keys. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
  const inField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
  if (step === undefined || inField || event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const all = itemElements(event.currentTarget);
  const at = all.findIndex((item) => item.contains(document.activeElement));
  const next = all[at === -1 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
}

/** The keyboard begins on what has waited longest, and stays in the list when an item leaves. */
function useListFocus(ids: readonly string[]) {
  const list = useRef<HTMLDivElement>(null);
  const had = useRef(true);
  useEffect(() => {
    const { current } = list;
    if (current !== null && had.current && !current.contains(document.activeElement)) {
      (itemElements(current)[0] ?? current).focus();
    }
  });
  useEffect(() => {
    const note = () => {
      // What leaves the document takes its focus along, and that is no wish to be elsewhere.
      had.current = document.activeElement === document.body || list.current?.contains(document.activeElement) === true;
    };
    document.addEventListener("focusin", note);
    return () => {
      document.removeEventListener("focusin", note);
    };
  }, []);
  return { list, first: ids[0] };
}

/** Everything that is for the person, over all projects. */
export function InboxPage() {
  const { waiting, ended, cards, note } = useInbox();
  useEscape(showProjectView);
  const [filter, setFilter] = useState<InboxFilter>("all");
  const now = useNow(waiting.length > 0 ? 1_000 : 30_000);
  const running = useShell((shell) => workspacesOf(shell).reduce((sum, { running: count }) => sum + count, 0));
  const showWaiting = filter !== "ended" && cards.length > 0;
  const showEnded = filter !== "waiting" && ended.length > 0;
  const ids = [...(showWaiting ? cards.map(({ item }) => item.id) : []), ...(showEnded ? ended.map(({ id }) => id) : [])];
  const { list, first } = useListFocus(ids);
  return (
    <section aria-labelledby="inbox-title" className="flex h-full flex-col">
      <header className="flex h-13 shrink-0 items-center gap-3 border-b border-line1 ps-5 pe-3">
        <h1 id="inbox-title" className="grow text-read font-semibold">
          Inbox
        </h1>
        <Segments
          label="Which items"
          value={filter}
          onChange={setFilter}
          segments={[
            { value: "all", label: "All" },
            { value: "waiting", label: "Waiting", count: waiting.length },
            { value: "ended", label: "Finished", count: ended.length },
          ]}
        />
      </header>
      <div ref={list} tabIndex={-1} onKeyDown={moveFocus} className="min-h-0 grow overflow-y-auto outline-none">
        {showWaiting || showEnded ? (
          <div className="mx-auto w-[calc(100%-2rem)] max-w-204 pt-6 pb-10">
            {showWaiting ? (
              <>
                <h2 className="heading text-h1 text-balance">{waitingHeading(waiting.length)}</h2>
                <p className="mt-1.5 mb-4.5 text-ui text-pretty text-fg2">
                  Oldest first. Answer here, in the session, from the tray or in a terminal: the first answer counts and
                  closes it everywhere.
                </p>
                <div className="mb-7 overflow-hidden rounded-card border border-ember-line bg-bg2 shadow-1">
                  {cards.map(({ item, gone }) => (
                    <WaitingCard
                      key={item.id}
                      item={item}
                      now={now}
                      gone={gone}
                      tabStop={item.id === first}
                      onAnswered={note}
                    />
                  ))}
                </div>
              </>
            ) : null}
            {showEnded ? <Ended items={ended} now={now} first={first} /> : null}
          </div>
        ) : (
          <Nothing filter={filter} running={running} ended={ended.length} onShow={() => { setFilter("ended"); }} />
        )}
      </div>
      <Keys />
    </section>
  );
}

function Ended({ items, now, first }: { items: readonly InboxItem[]; now: number; first: string | undefined }) {
  return (
    <section aria-labelledby="ended-title">
      <header className="mb-2 flex items-baseline gap-2.5">
        <h2 id="ended-title" className="grow text-ui font-semibold">
          Finished and not looked at
        </h2>
        <button
          type="button"
          className="rounded-chip px-1 text-meta text-fg2 hover:text-fg1"
          onClick={() => void dismissItems(items)}
        >
          Mark all read
        </button>
      </header>
      <ul className="overflow-hidden rounded-card border border-line1 bg-bg2 shadow-control">
        {items.map((item) => (
          <EndedRow
            key={item.id}
            item={item}
            now={now}
            tabStop={item.id === first}
            onDismiss={() => void dismissItems([item])}
          />
        ))}
      </ul>
    </section>
  );
}

interface NothingProps {
  filter: InboxFilter;
  running: number;
  ended: number;
  onShow: () => void;
}

function goingOn(running: number): string {
  if (running === 0) {
    return "No run goes on. You will be told when one needs you or ends.";
  }
  const runs = running === 1 ? "One run goes on" : `${running.toLocaleString()} runs go on`;
  return `${runs}. You will be told when one of them needs you or ends.`;
}

function Nothing({ filter, running, ended, onShow }: NothingProps) {
  return (
    <div className="flex min-h-full items-center justify-center px-6 py-10">
      <EmptyState
        icon={<Logo size={56} outline />}
        title={filter === "ended" ? "Nothing finished since you looked" : "Nothing waits for you"}
        actions={filter === "waiting" && ended > 0 ? <Button onClick={onShow}>Show what finished</Button> : undefined}
      >
        {goingOn(running)}
      </EmptyState>
    </div>
  );
}

function Keys() {
  return (
    <footer className="flex h-9 shrink-0 items-center gap-4 overflow-hidden border-t border-line1 px-5 text-label whitespace-nowrap text-fg3 small:hidden">
      <span className="flex items-center gap-1">
        <Kbd keys="J" />
        <Kbd keys="K" /> move
      </span>
      <span className="flex items-center gap-1">
        <Kbd keys="Enter" /> open session
      </span>
      <span className="flex items-center gap-1">
        <Kbd keys="Y" />
        <Kbd keys="S" />
        <Kbd keys="A" />
        <Kbd keys="N" /> answer the focused card
      </span>
    </footer>
  );
}
