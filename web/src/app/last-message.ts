/** ↑ in an empty composer brings the person's last message back, to edit and send anew. */
import { writeDraft } from "@/features/composer/drafts";
import { useEvents } from "@/lib/events/store";
import { useFrontSession } from "@/lib/front-session";
import type { Message } from "@/lib/protocol";

/** Give the text of the last message of the person's; "" when there is none. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.findLast(({ role }) => role === "user");
  return last?.parts.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

function isEmptyComposer(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.dataset["composer"] !== undefined && target.value === "";
}

function isPlainUp({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key === "ArrowUp" && !shiftKey && !ctrlKey && !metaKey && !altKey;
}

/** Whether the key was meant so; the draft is then the last message. */
export function takeLastMessage(event: KeyboardEvent): boolean {
  const { id } = useFrontSession.getState();
  if (id === null || !isPlainUp(event) || !isEmptyComposer(event.target)) {
    return false;
  }
  const text = lastText(useEvents.getState().followed[id]?.state.messages ?? []);
  if (text !== "") {
    writeDraft(id, text);
  }
  return text !== "";
}
