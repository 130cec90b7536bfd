import { ListEnd, Pencil, X } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { sentenceOf } from "@/lib/api-client";
import type { Message, SessionState } from "@/lib/protocol";
import { removeQueued } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";
import { draftOf, writeDraft } from "./drafts";

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

/** Out of the queue and back into the composer, before what stands there. */
async function edit(sessionId: string, message: Message): Promise<void> {
  if (await remove(sessionId, message)) {
    const { text } = draftOf(sessionId);
    writeDraft(sessionId, [textOf(message), text].filter(Boolean).join("\n"));
    document.querySelector<HTMLElement>("[data-composer]")?.focus();
  }
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
        <li key={message.message_id} className="flex h-8.5 items-center gap-2 border-line1 text-ui not-first:border-t">
          <ListEnd size={15} strokeWidth={1.6} aria-hidden="true" className="ms-1 shrink-0 text-fg3" />
          <span className="shrink-0 text-fg3">{place === 0 ? "Next" : "Then"}</span>
          <span dir="auto" title={textOf(message)} className="min-w-0 grow truncate">
            {textOf(message)}
          </span>
          <IconButton icon={Pencil} label="Edit" onClick={() => void edit(state.session_id, message)} />
          <IconButton icon={X} label="Take out" onClick={() => void remove(state.session_id, message)} />
        </li>
      ))}
    </ul>
  );
}
