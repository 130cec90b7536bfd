/**
 * The hub's page's end of its line to each workspace page.
 *
 * A message counts only when it comes from the very window of a kept frame *and* from the origin
 * of that frame's daemon. What a page may say is the small set of `lib/hub-messages`.
 */
import { useShell } from "@/hub/shell-store";
import { type HubMessage, type PageMessage, parsePageMessage, wrap } from "@/lib/hub-messages";

const elements = new Map<string, HTMLIFrameElement>();
/** Pages that listen: before, the frame's window has another origin and takes nothing. */
const listening = new Set<string>();
/** What is said to a page as soon as it listens. */
const held = new Map<string, HubMessage[]>();

/** Remember the element of a workspace's frame; null when it left the document. */
export function keepElement(id: string, element: HTMLIFrameElement | null): void {
  if (element === null) {
    elements.delete(id);
    listening.delete(id);
  } else {
    elements.set(id, element);
  }
}

/** Say something to a workspace's page; without one, nothing happens. */
export function tellFrame(id: string, message: HubMessage): void {
  const frame = useShell.getState().frames[id];
  if (frame !== undefined && listening.has(id)) {
    elements.get(id)?.contentWindow?.postMessage(wrap(message), frame.origin);
  }
}

/** Say something to a workspace's page now, or as soon as it is there and listens. */
export function tellFrameOnce(id: string, message: HubMessage): void {
  if (useShell.getState().frames[id] !== undefined && listening.has(id)) {
    tellFrame(id, message);
    return;
  }
  const others = (held.get(id) ?? []).filter(({ type }) => type !== message.type);
  held.set(id, [...others, message]);
}

function sayHeld(id: string): void {
  const messages = held.get(id) ?? [];
  held.delete(id);
  for (const message of messages) {
    tellFrame(id, message);
  }
}

/** Put the keyboard into a workspace's page, where it had it last. */
export function focusFrame(id: string): void {
  const element = elements.get(id);
  // A frame that has loaded anew counts as focused already, and yet its page has no keyboard.
  element?.blur();
  element?.focus();
  element?.contentWindow?.focus();
}

/** Which workspace sent this; null when none of ours did. */
export function senderOf(event: Pick<MessageEvent, "source" | "origin">): string | null {
  const { frames } = useShell.getState();
  for (const [id, element] of elements) {
    if (event.source !== null && event.source === element.contentWindow) {
      return frames[id]?.origin === event.origin ? id : null;
    }
  }
  return null;
}

/** Hear what the workspaces' pages say; gives the function that stops it. */
export function hearFrames(handler: (id: string, message: PageMessage) => void): () => void {
  const receive = (event: MessageEvent) => {
    const id = senderOf(event);
    const message = id === null ? null : parsePageMessage(event.data);
    if (id !== null && message !== null) {
      listening.add(id);
      handler(id, message);
      if (message.type === "front") {
        // Its parts listen once it says what is in front; "ready" comes before they do.
        sayHeld(id);
      }
    }
  };
  window.addEventListener("message", receive);
  return () => {
    window.removeEventListener("message", receive);
  };
}
