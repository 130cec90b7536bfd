import type { CSSProperties } from "react";
import { useMemo, useState } from "react";
import { Button } from "@/components/button";
import type { AnsiLine, AnsiStyle } from "@/lib/ansi";
import { parseAnsi } from "@/lib/ansi";
import { useTranscriptActions } from "./actions";
import type { OutputPage } from "./actions";

const LIVE_LINES = 8;
const HEAD_LINES = 8;
const TAIL_LINES = 16;
const LONGEST_LINE = 4096;

/** The last lines of a command that runs. */
export function LiveOutput({ text }: { text: string }) {
  const lines = useMemo(() => parseAnsi(text).slice(-LIVE_LINES), [text]);
  return (
    <Well>
      {lines.map((line, index) => (
        <OutputLine key={index} line={line} caret={index === lines.length - 1} />
      ))}
    </Well>
  );
}

interface FinishedOutputProps {
  callId: string;
  text: string;
  /** The whole output lies in the daemon; `text` is its head and tail. */
  isCut: boolean;
}

/** The output of a command that ended: head and tail, everything on demand. */
export function FinishedOutput({ callId, text, isCut }: FinishedOutputProps) {
  const { loadOutput } = useTranscriptActions();
  const [opened, setOpened] = useState(false);
  const [pages, setPages] = useState<OutputPage[]>([]);
  const whole = pages.length > 0 ? pages.map((page) => page.text).join("") : text;
  const lines = useMemo(() => parseAnsi(whole.replace(/\n$/, "")), [whole]);
  const hidden = lines.length - HEAD_LINES - TAIL_LINES;
  const next = pages.at(-1)?.nextOffset;

  const load = (offset: number) => {
    void loadOutput(callId, offset).then((page) => setPages((before) => [...before, page]));
  };
  if (opened || (hidden < 4 && !isCut)) {
    return (
      <Well>
        <Lines lines={lines} />
        {typeof next === "number" ? <Fold label="More is not loaded yet" action="Load more" onAct={() => load(next)} /> : null}
      </Well>
    );
  }
  const open = () => {
    setOpened(true);
    if (isCut) load(0);
  };
  return (
    <Well>
      <Lines lines={lines.slice(0, HEAD_LINES)} />
      <Fold label={isCut ? "Not all is shown" : `${hidden.toLocaleString("en")} lines not shown`} action="Open all" onAct={open} />
      <Lines lines={lines.slice(Math.max(HEAD_LINES, lines.length - TAIL_LINES))} />
    </Well>
  );
}

function Fold({ label, action, onAct }: { label: string; action: string; onAct: () => void }) {
  return (
    <div className="-mx-3 my-1 flex items-center justify-between bg-bg3 px-3 font-sans text-meta text-fg2">
      {label}
      <Button variant="quiet" size="small" onClick={onAct}>
        {action}
      </Button>
    </div>
  );
}

const Well = ({ children }: { children: React.ReactNode }) => (
  <div
    dir="ltr"
    tabIndex={0}
    className="max-h-[28rem] overflow-auto rounded-well border border-line1 bg-well px-3 py-2 font-mono text-code break-all whitespace-pre-wrap text-fg2"
  >
    {children}
  </div>
);

const Lines = ({ lines }: { lines: AnsiLine[] }) =>
  lines.map((line, index) => <OutputLine key={index} line={line} />);

function OutputLine({ line, caret = false }: { line: AnsiLine; caret?: boolean }) {
  const [opened, setOpened] = useState(false);
  const length = line.reduce((sum, span) => sum + span.text.length, 0);
  if (length > LONGEST_LINE && !opened) {
    const text = line.map((span) => span.text).join("");
    return (
      <div>
        {text.slice(0, 400)}
        <button type="button" className="mx-1 rounded-chip bg-bg3 px-1 font-sans text-meta" onClick={() => setOpened(true)}>
          {(length - 400).toLocaleString("en")} characters more
        </button>
      </div>
    );
  }
  return (
    <div className="min-h-[1lh]">
      {line.map((span, index) => (
        <span key={index} style={spanStyle(span.style)}>
          {span.text}
        </span>
      ))}
      {caret ? <span aria-hidden="true" className="ms-px inline-block h-3.5 w-0.5 bg-live align-text-bottom" /> : null}
    </div>
  );
}

function spanStyle(style: AnsiStyle): CSSProperties {
  return {
    color: style.colour && `var(--ansi-${style.colour})`,
    backgroundColor: style.background && `color-mix(in oklab, var(--ansi-${style.background}) 25%, transparent)`,
    fontWeight: style.bold ? 600 : undefined,
    opacity: style.dim ? 0.75 : undefined,
    fontStyle: style.italic ? "italic" : undefined,
    textDecoration: style.underline ? "underline" : undefined,
  };
}
