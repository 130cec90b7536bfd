import { useEffect, useMemo, useRef } from "react";
import { DiffView } from "@/components/diff-view";
import type { PermissionRequest } from "@/lib/protocol";
import { linesOf, type Part, type Piece, piecesOf } from "./parts";
import { revealHidden, splitShown } from "./shown";

const MOST_LINES = 12;

interface ShownWellProps {
  request: PermissionRequest;
  /** The commands of the line, where it holds several. */
  parts?: readonly Part[];
  /** The end of the text was on screen. */
  onSeen: () => void;
}

const NO_PARTS: readonly Part[] = [];

/** The whole command or diff; a long one scrolls, and counts as seen once its end was. */
export function ShownWell({ request, parts = NO_PARTS, onSeen }: ShownWellProps) {
  const well = useRef<HTMLDivElement>(null);
  const { head, body } = splitShown(request.shown);
  const text = useMemo(() => revealHidden(body).replace(/\n$/, ""), [body]);
  const lines = useMemo(() => linesOf(piecesOf(text, parts)), [text, parts]);
  const isDiff = request.tool !== "bash" && /^@@ /m.test(text);

  const look = () => {
    const element = well.current;
    if (element && element.scrollTop + element.clientHeight >= element.scrollHeight - 4) onSeen();
  };
  useEffect(look);

  return (
    <div className="relative">
      <div
        ref={well}
        tabIndex={0}
        dir="ltr"
        aria-label={request.tool === "bash" ? "The command" : "The change"}
        onScroll={look}
        className="max-h-[18.5rem] overflow-y-auto [@media(max-height:640px)]:max-h-[22dvh] rounded-well border border-line1 bg-well"
      >
        {text === "" ? (
          <p className="px-3 py-2.5 text-ui text-fg2">The file would stay as it is.</p>
        ) : isDiff ? (
          <DiffView unified={text} path={head} bare />
        ) : (
          <div className="px-3 py-2.5 font-mono text-ui whitespace-pre-wrap [overflow-wrap:anywhere]">
            {lines.map((line, index) => (
              <div key={index} className="min-h-[1lh]">
                <Line pieces={line} />
              </div>
            ))}
          </div>
        )}
      </div>
      {lines.length > MOST_LINES ? (
        <span className="absolute end-2 bottom-2 rounded-chip bg-bg3 px-1.5 text-label text-fg2">{lines.length} lines</span>
      ) : null}
    </div>
  );
}

const LOOKS: Record<Part["verdict"], string> = {
  allow: "text-fg3",
  ask: "font-medium underline decoration-ember-mark decoration-2 underline-offset-4",
  deny: "font-medium text-bad",
};

/** A line whose commands look as they are judged. */
function Line({ pieces }: { pieces: readonly Piece[] }) {
  return pieces.map(({ text, verdict }, index) => (
    <Words key={index} text={text} look={verdict === null ? "" : LOOKS[verdict]} />
  ));
}

/** A text that wraps between words only, save a word that is wider than the card. */
function Words({ text, look }: { text: string; look: string }) {
  return text.split(/(\s+)/).map((word, index) => (
    // An underline does not reach into blocks: each word carries it itself.
    <span key={index} className={word.trim() === "" ? look : `inline-block max-w-full ${look}`}>
      {word}
    </span>
  ));
}
