/** Which session is in front; it stands in the address's fragment, so that a reload keeps it. */
import { create } from "zustand";
import { tellHub } from "@/lib/hub-link";

interface FrontSession {
  /** null: a session that begins with the next message. */
  id: string | null;
  /** A message to go to, a new object each time; null: where reading was. */
  target: { messageId: string } | null;
}

function read(): string | null {
  return new URLSearchParams(window.location.hash.slice(1)).get("session");
}

export const useFrontSession = create<FrontSession>()(() => ({ id: read(), target: null }));

/** Bring a session to the front, and one of its messages into sight; null begins a new one. */
export function showSession(id: string | null, messageId: string | null = null): void {
  const fields = new URLSearchParams(window.location.hash.slice(1));
  if (id === null) {
    fields.delete("session");
  } else {
    fields.set("session", id);
  }
  const rest = fields.toString();
  const { pathname, search } = window.location;
  window.history.replaceState(null, "", pathname + search + (rest === "" ? "" : `#${rest}`));
  useFrontSession.setState({ id, target: messageId === null ? null : { messageId } });
  tellHub({ type: "front", session_id: id });
}

/** Follow the address when it is changed from outside, until the function it gives is called. */
export function startFrontSession(): () => void {
  const follow = () => {
    const id = read();
    if (id !== null) {
      useFrontSession.setState({ id, target: null });
    }
  };
  window.addEventListener("hashchange", follow);
  tellHub({ type: "front", session_id: useFrontSession.getState().id });
  return () => {
    window.removeEventListener("hashchange", follow);
  };
}
