import { ChevronDown, ChevronRight, Copy, Info, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import type { MarkKind } from "@/components/mark";
import { Mark } from "@/components/mark";
import type { RunState } from "@/lib/protocol";
import { useTranscriptActions } from "./actions";
import { formatSeconds } from "./call-facts";
import { Folded } from "./folded";
import { Markdown } from "./markdown";
import type { CompactionRow, FooterRow, NoticeRow, TextRow, ThinkingRow, UserRow } from "./rows";
import { SentImage } from "./sent-image";

/** A longer prompt is folded; it was pasted, and its author knows it. */
const LONGEST_PROMPT = 16 * 1024;
const SHOWN_OF_PROMPT = 2 * 1024;

/** What the person wrote, in a bubble at the right. */
export function UserMessage({ row }: { row: UserRow }) {
  const [opened, setOpened] = useState(false);
  const text = row.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const images = row.message.parts.filter((part) => part.type === "image");
  return (
    <article aria-label="You" className="flex flex-col items-end gap-1 py-2 ps-12">
      {images.length === 0 ? null : (
        <div className="flex max-w-full flex-wrap justify-end gap-2">
          {images.map((part) => (
            <SentImage key={part.part_id} part={part} />
          ))}
        </div>
      )}
      {text === "" && images.length > 0 ? null : (
        <p dir="auto" className={`max-w-full rounded-card px-3.5 py-2 text-read break-words whitespace-pre-wrap ${row.queued ? "border border-dashed border-line2 text-fg2" : "bg-bg3"}`}>
          {opened || text.length <= LONGEST_PROMPT ? text : text.slice(0, SHOWN_OF_PROMPT)}
        </p>
      )}
      {opened || text.length <= LONGEST_PROMPT ? null : (
        <Folded rest={`${(text.length - SHOWN_OF_PROMPT).toLocaleString("en")} characters`} onOpen={() => { setOpened(true); }} />
      )}
      {row.queued ? <span className="text-meta text-fg3">Waits for its turn: other sessions run</span> : null}
    </article>
  );
}

/** The answer, plain at the left. */
export function AnswerText({ row }: { row: TextRow }) {
  return (
    <article aria-label="Answer" className="py-1.5 ps-7">
      <div className="max-w-(--container-reading)">
        <Markdown text={row.part.text} live={row.live} />
      </div>
    </article>
  );
}

/** What a reasoning model showed of its thinking: one closed line. */
export function Thinking({ row }: { row: ThinkingRow }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <article aria-label="Thinking" className="ps-7">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className="flex items-center gap-1.5 rounded-chip py-1 text-ui text-fg3 hover-fade hover:text-fg2">
        {row.live ? "Thinking" : "Thought"}
        <Chevron size={14} strokeWidth={1.6} aria-hidden="true" />
      </button>
      {open ? <p dir="auto" className="border-s-2 border-line2 ps-3 pb-1 text-ui break-words whitespace-pre-wrap text-fg2">{row.part.text}</p> : null}
    </article>
  );
}

/** Something the person should know. */
export function NoticeLine({ row }: { row: NoticeRow }) {
  const { level, text } = row.notice;
  const Icon = level === "info" ? Info : TriangleAlert;
  return (
    <p role="note" className={`flex gap-2 py-1 ps-7 text-ui ${level === "error" ? "text-bad" : level === "warning" ? "text-ochre" : "text-fg3"}`}>
      <Icon size={14} strokeWidth={1.6} aria-hidden="true" className="mt-[3px] shrink-0" />
      {text}
    </p>
  );
}

/** From here on the model knows what is above as its own summary. */
export function CompactionLine({ row }: { row: CompactionRow }) {
  const { undoCompaction } = useTranscriptActions();
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <article aria-label="Older messages were summarised" className="py-2 ps-7 text-ui text-fg3">
      <div className="flex items-center gap-2 border-t border-line1 pt-2">
        <button type="button" aria-expanded={open} onClick={() => { setOpen(!open); }} className="flex items-center gap-1.5 rounded-chip hover-fade hover:text-fg2">
          The model knows what is above as a summary
          <Chevron size={14} strokeWidth={1.6} aria-hidden="true" />
        </button>
        {row.last ? (
          <Button variant="quiet" size="small" onClick={undoCompaction}>
            Undo
          </Button>
        ) : null}
      </div>
      {open ? (
        <div className="pt-1">
          <Markdown text={row.summary} />
        </div>
      ) : null}
    </article>
  );
}

export function Working() {
  return (
    <p className="relative py-1 ps-7 text-ui text-fg3">
      <Mark kind="running" className="absolute start-0 top-[7px]" /> Working
    </p>
  );
}

const ENDS: Record<NonNullable<RunState["outcome"]>, { mark: MarkKind; words: string }> = {
  completed: { mark: "done", words: "Finished" },
  interrupted: { mark: "interrupted", words: "Stopped" },
  budget: { mark: "interrupted", words: "Stopped at its limit" },
  refused_by_model: { mark: "denied", words: "The model refused" },
  error: { mark: "error", words: "Failed" },
};

interface RunFooterProps {
  row: FooterRow;
  /** The final answer, to copy. */
  answer: string;
}

/** How a run ended, how long it took, and what to do when it failed. */
export function RunFooter({ row, answer }: RunFooterProps) {
  const { copy } = useTranscriptActions();
  const { run } = row;
  const end = ENDS[run.outcome ?? "interrupted"];
  const seconds = run.ended_at ? (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000 : null;
  return (
    <footer className="flex flex-col gap-2 pt-1 pb-4">
      {run.detail ? (
        <p role="alert" className={`ms-7 rounded-well border px-3 py-2 text-ui ${run.outcome === "error" ? "border-bad-line bg-bad-soft" : "border-line1 bg-well text-fg2"}`}>
          {run.detail}
        </p>
      ) : null}
      <div className="relative flex min-h-7 items-center gap-3 ps-7 text-meta text-fg3 tabular">
        <Mark kind={end.mark} className="absolute start-0" />
        <span>
          {end.words}
          {seconds === null ? "" : ` · ${formatSeconds(seconds)}`}
          {run.refused > 0 ? ` · ${run.refused} denied, nobody was there` : ""}
        </span>
        {answer ? <IconButton icon={Copy} label="Copy the answer" onClick={() => copy(answer)} /> : null}
      </div>
    </footer>
  );
}
