import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useCallback, useEffect, useMemo, useState } from "react";
import { Kbd } from "@/components/kbd";
import type { SessionState } from "@/lib/protocol";
import "@/components/code.css";
import { CallRow } from "./call-row";
import { AnswerText, CompactionLine, NoticeLine, RunFooter, Thinking, UserMessage, Working } from "./message-rows";
import type { Row } from "./rows";
import { placeOfMessage, transcriptRows } from "./rows";
import { useStick } from "./use-stick";

interface TranscriptProps {
  state: SessionState;
  /** Changes when the person sent something: reading follows again. */
  sent: number;
  /** A message to bring into sight; a new object each time. */
  target: { messageId: string } | null;
}

/** A session as it was said and done; only the rows in sight exist. */
export function Transcript({ state, sent, target }: TranscriptProps) {
  const rows = useMemo(() => transcriptRows(state), [state]);
  const { scrollerRef, isAway, follow, release, onScroll } = useStick(state);
  // The list measures an element, so it is there only once the element is.
  const [box, setBox] = useState<HTMLDivElement | null>(null);
  const attach = useCallback(
    (element: HTMLDivElement | null) => {
      scrollerRef.current = element;
      setBox(element);
    },
    [scrollerRef],
  );
  useEffect(follow, [follow, sent, state.session_id]);
  return (
    <div className="relative min-h-0 grow">
      <div
        ref={attach}
        role="feed"
        data-region="transcript"
        aria-label="Transcript"
        aria-busy={state.run?.outcome === null}
        tabIndex={0}
        onScroll={onScroll}
        onKeyDown={(event) => {
          if (event.key === "End") follow();
        }}
        className="h-full overflow-y-auto [overflow-anchor:none] px-6 small:px-3"
      >
        <Rows rows={rows} state={state} box={box} target={target} onTarget={release} />
      </div>
      {isAway ? <FollowPill onFollow={follow} /> : null}
    </div>
  );
}

interface RowsProps {
  rows: Row[];
  state: SessionState;
  box: HTMLDivElement | null;
  target: TranscriptProps["target"];
  onTarget: () => void;
}

function Rows({ rows, state, box, target, onTarget }: RowsProps) {
  // eslint-disable-next-line react-hooks/incompatible-library -- measured heights live in the virtualizer
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box,
    estimateSize: (index) => (rows[index]?.kind === "text" ? 120 : 40),
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 12,
    paddingStart: 20,
    paddingEnd: 28,
  });
  const found = target === null ? -1 : placeOfMessage(rows, state, target.messageId);
  const foundKey = rows[found]?.key;
  useEffect(() => {
    if (target !== null && found !== -1 && box !== null) {
      onTarget();
      list.scrollToIndex(found, { align: "center" });
    }
    // Once for each target: rows that arrive later do not move the reader.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [target, found === -1, box]);
  const firstChanges = useMemo(() => firstChangeKeys(rows), [rows]);
  return (
    <div className="relative mx-auto w-full max-w-(--container-column)" style={{ height: list.getTotalSize() }}>
      {list.getVirtualItems().map((item) => {
        const row = rows[item.index];
        return row === undefined ? null : (
          <div
            key={item.key}
            ref={list.measureElement}
            data-index={item.index}
            aria-posinset={item.index + 1}
            aria-setsize={rows.length}
            data-found={row.key === foundKey ? "" : undefined}
            className="absolute inset-x-0 top-0 data-found:rounded-well data-found:bg-info-soft"
            style={{ transform: `translateY(${item.start}px)` }}
          >
            <RowView row={row} state={state} firstChange={firstChanges.has(row.key)} />
          </div>
        );
      })}
    </div>
  );
}

function RowView({ row, state, firstChange }: { row: Row; state: SessionState; firstChange: boolean }) {
  switch (row.kind) {
    case "user":
      return <UserMessage row={row} />;
    case "text":
      return <AnswerText row={row} />;
    case "thinking":
      return <Thinking row={row} />;
    case "calls":
      return <CallRow row={row} progress={state.progress[row.calls[0]?.call_id ?? ""]} firstChange={firstChange} />;
    case "notice":
      return <NoticeLine row={row} />;
    case "footer":
      return <RunFooter row={row} answer={answerOf(state, row.run.run_id)} />;
    case "compaction":
      return <CompactionLine row={row} />;
    case "working":
      return <Working />;
  }
}

function answerOf(state: SessionState, runId: string): string {
  const last = state.messages.findLast((message) => message.run_id === runId && message.role === "assistant");
  return last?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

/** The keys of each run's first change: it stands open. */
function firstChangeKeys(rows: Row[]): Set<string> {
  const keys = new Set<string>();
  let seen = false;
  for (const row of rows) {
    if (row.kind === "user") seen = false;
    const changes = row.kind === "calls" && row.calls.some((call) => call.result?.diff);
    if (changes && !seen) {
      keys.add(row.key);
      seen = true;
    }
  }
  return keys;
}

function FollowPill({ onFollow }: { onFollow: () => void }) {
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
      <button
        type="button"
        onClick={onFollow}
        className="pointer-events-auto flex items-center gap-2 rounded-full border border-line2 bg-bg2 px-3.5 py-1.5 text-ui font-semibold shadow-2 hover-fade hover:bg-bg3"
      >
        <ArrowDown size={14} strokeWidth={1.75} aria-hidden="true" />
        Follow the answer
        <Kbd keys="End" />
      </button>
    </div>
  );
}
