/** The workspace page's line to the hub's page that frames it; a page alone in a browser has none. */
import { type HubMessage, type PageMessage, parseHubMessage, wrap } from "@/lib/hub-messages";

type Handler = (message: HubMessage) => void;

function hubOrigin(): string {
  // From the page itself and never from its address or referrer, which any framer could choose.
  const meta = document.querySelector<HTMLMetaElement>('meta[name="lararium-hub-origin"]');
  return meta?.content ?? "";
}

/** Whether the hub's page frames this one. */
export const isFramed = typeof window !== "undefined" && window.parent !== window && hubOrigin() !== "";

const handlers = new Set<Handler>();

function receive(event: MessageEvent): void {
  if (event.source !== window.parent || event.origin !== hubOrigin()) {
    return;
  }
  const message = parseHubMessage(event.data);
  if (message !== null) {
    for (const handler of handlers) {
      handler(message);
    }
  }
}

/** Say something to the hub's page; without one, nothing happens. */
export function tellHub(message: PageMessage): void {
  if (isFramed) {
    window.parent.postMessage(wrap(message), hubOrigin());
  }
}

/** Hear what the hub's page says; gives the function that stops it. */
export function hearHub(handler: Handler): () => void {
  if (isFramed && handlers.size === 0) {
    window.addEventListener("message", receive);
  }
  handlers.add(handler);
  return () => {
    handlers.delete(handler);
    if (handlers.size === 0) {
      window.removeEventListener("message", receive);
    }
  };
}
