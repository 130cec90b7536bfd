import { Check, Image, ListEnd, Pencil, X } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "@/components/icon-button";
import { sentenceOf } from "@/lib/api-client";
import { isComposing } from "@/lib/composing";
import type { Message, SessionState } from "@/lib/protocol";
import { editQueued, removeQueued } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";

function textOf(message: Message): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function remove(sessionId: string, message: Message): Promise<boolean> {
  try {
    await removeQueued(sessionId, message.message_id);
    return true;
  } catch (error) {
    showToast(sentenceOf(error), { tone: "bad" });
    return false;
  }
}

async function change(sessionId: string, message: Message, text: string): Promise<boolean> {
  try {
    await editQueued(sessionId, message.message_id, text);
    return true;
  } catch (error) {
    showToast(sentenceOf(error), { tone: "bad" });
    return false;
  }
}

/** How many images wait with a message; they stay with it when its text is changed. */
function ImageCount({ message }: { message: Message }) {
  const count = message.parts.filter(({ type }) => type === "image").length;
  const words = count === 1 ? "1 image" : `${count} images`;
  return count === 0 ? null : (
    <span title={words} className="tabular flex shrink-0 items-center gap-1 text-meta text-fg3">
      <Image size={14} strokeWidth={1.6} role="img" aria-label={words} /> {count}
    </span>
  );
}

/** Messages that wait for the run to end, on top of the composer; each can be edited or taken out. */
export function QueuedMessages({ state }: { state: SessionState }) {
  const queued = state.messages.filter((message) => message.role === "user" && message.run_id === null);
  if (queued.length === 0) {
    return null;
  }
  return (
    <ul aria-label="Queued messages" className="mx-3 -mb-px rounded-t-well border border-b-0 border-line1 bg-bg1 px-2">
      {queued.map((message, place) => (
        <li key={message.message_id} className="flex min-h-8.5 items-center gap-2 border-line1 text-ui not-first:border-t">
          <ListEnd size={15} strokeWidth={1.6} aria-hidden="true" className="ms-1 shrink-0 text-fg3" />
          <span className="shrink-0 text-fg3">{place === 0 ? "Next" : "Then"}</span>
          <ImageCount message={message} />
          <QueuedRow sessionId={state.session_id} message={message} />
        </li>
      ))}
    </ul>
  );
}

/** A message's text, or the field that changes it: Enter keeps the change, Escape the old text. */
function QueuedRow({ sessionId, message }: { sessionId: string; message: Message }) {
  const [text, setText] = useState<string | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const leave = () => {
    setText(null);
    requestAnimationFrame(() => button.current?.focus());
  };
  if (text === null) {
    return (
      <>
        <span dir="auto" title={textOf(message)} className="min-w-0 grow truncate">
          {textOf(message)}
        </span>
        <IconButton ref={button} icon={Pencil} label="Edit" onClick={() => { setText(textOf(message)); }} />
        <IconButton icon={X} label="Take out" onClick={() => void remove(sessionId, message)} />
      </>
    );
  }
  const save = async () => {
    if (text.trim() !== "" && (await change(sessionId, message, text))) leave();
  };
  return (
    <>
      <textarea
        autoFocus
        dir="auto"
        rows={Math.min(6, text.split("\n").length)}
        value={text}
        aria-label="Queued message"
        className="my-1 min-w-0 grow resize-none rounded-control border border-line3 bg-bg2 px-2 py-1"
        onChange={(event) => { setText(event.target.value); }}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.preventDefault();
            event.stopPropagation();
            leave();
          } else if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) {
            event.preventDefault();
            void save();
          }
        }}
      />
      <IconButton icon={Check} label="Keep the change" onClick={() => void save()} />
    </>
  );
}
