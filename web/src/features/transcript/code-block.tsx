import { Copy, WrapText } from "lucide-react";
import { startTransition, useEffect, useMemo, useState } from "react";
import { IconButton } from "@/components/icon-button";
import type { Token } from "@/lib/highlight";
import { highlight } from "@/lib/highlight";
import { useTranscriptActions } from "./actions";
import { Folded } from "./folded";

/** More lines than these are folded: laying them all out would hold up the page. */
const MOST_LINES = 600;
const SHOWN_LINES = 400;

interface CodeBlockProps {
  code: string;
  language: string;
  /** Still written: plain until its fence closes. */
  growing?: boolean;
}

/** A fenced block: always left to right, coloured once it is whole, wrapped on demand. */
export function CodeBlock({ code, language, growing = false }: CodeBlockProps) {
  const { copy } = useTranscriptActions();
  const [wraps, setWraps] = useState(false);
  const [opened, setOpened] = useState(false);
  const head = useMemo(() => (opened ? null : headOf(code)), [code, opened]);
  const lines = useTokens(growing || head !== null ? "" : code, language);
  return (
    <figure dir="ltr" className="overflow-hidden rounded-well border border-line1 bg-well">
      <figcaption className="flex h-8 items-center border-b border-line1 ps-3 pe-1">
        <span className="grow truncate text-meta text-fg3">{language}</span>
        <IconButton icon={WrapText} label="Wrap lines" pressed={wraps} onClick={() => setWraps(!wraps)} />
        <IconButton icon={Copy} label="Copy code" onClick={() => copy(code)} />
      </figcaption>
      <pre
        tabIndex={0}
        className={`overflow-x-auto px-3 py-2.5 text-code ${wraps ? "break-all whitespace-pre-wrap" : "whitespace-pre"}`}
      >
        <code>{lines ? lines.map((line, index) => <CodeLine key={index} tokens={line} />) : (head?.text ?? code)}</code>
      </pre>
      {head === null ? null : (
        <div className="border-t border-line1 px-3 py-1.5">
          <Folded rest={`${head.hidden.toLocaleString("en")} lines`} onOpen={() => { setOpened(true); }} />
        </div>
      )}
    </figure>
  );
}

/** Give the first lines of very many, and how many are left out; null where all are shown. */
function headOf(code: string): { text: string; hidden: number } | null {
  const lines = code.split("\n");
  return lines.length > MOST_LINES
    ? { text: lines.slice(0, SHOWN_LINES).join("\n"), hidden: lines.length - SHOWN_LINES }
    : null;
}

/** One line of tokens with its line end. */
export function CodeLine({ tokens }: { tokens: Token[] }) {
  return (
    <>
      {tokens.map((token, index) => (
        <span key={index} style={{ color: token.colour }}>
          {token.text}
        </span>
      ))}
      {"\n"}
    </>
  );
}

function useTokens(code: string, language: string): Token[][] | null {
  const [found, setFound] = useState<{ code: string; lines: Token[][] | null }>({ code: "", lines: null });
  useEffect(() => {
    let wanted = true;
    if (!code) return;
    void highlight(code, language).then((lines) => {
      // Very many spans are drawn in between what is more urgent.
      startTransition(() => {
        if (wanted) setFound({ code, lines });
      });
    });
    return () => {
      wanted = false;
    };
  }, [code, language]);
  return found.code === code ? found.lines : null;
}
