/**
 * How the page gets its key: a single-use ticket from the address's fragment, which no server and
 * no log ever sees, or from the hub that frames the page.
 */
import { create } from "zustand";
import type { SessionKey, Ticket } from "@/generated/daemon";
import { ApiError, api, onSignedOut } from "@/lib/api-client";
import { keepSessionKey, sessionKey } from "@/lib/session-key";

type AuthStatus = "checking" | "in" | "out" | "unreachable";

interface Auth {
  status: AuthStatus;
  /** Why it is out, for the person; "" when nothing was tried. */
  detail: string;
}

export const useAuth = create<Auth>()(() => ({ status: "checking", detail: "" }));

/** Take the ticket out of the address, so that it stays in no history and no screenshot. */
export function takeTicket(location: Location, history: History): string | null {
  const fields = new URLSearchParams(location.hash.slice(1));
  const ticket = fields.get("t");
  if (ticket === null) {
    return null;
  }
  fields.delete("t");
  const rest = fields.toString();
  history.replaceState(null, "", location.pathname + location.search + (rest === "" ? "" : `#${rest}`));
  return ticket === "" ? null : ticket;
}

/** Trade a ticket for the page's key. */
export async function signIn(ticket: string): Promise<void> {
  try {
    const { session_key } = await api.post<SessionKey>("/api/auth/exchange", { ticket }, { open: true });
    keepSessionKey(session_key);
    useAuth.setState({ status: "in", detail: "" });
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) {
      useAuth.setState({ status: "unreachable", detail: error.message });
      return;
    }
    // A reload may carry a spent ticket beside a key that still works.
    const status = sessionKey() === null ? "out" : "in";
    useAuth.setState({ status, detail: error instanceof Error ? error.message : "" });
  }
}

/** A fresh single-use ticket for one WebSocket. */
export async function webSocketTicket(): Promise<string> {
  const { ticket } = await api.post<Ticket>("/api/auth/tickets", { purpose: "ws" });
  return ticket;
}

/** Sign in with what there is, and again whenever a new ticket comes by the address. */
export function startAuth(): () => void {
  const take = () => {
    const ticket = takeTicket(window.location, window.history);
    if (ticket !== null) {
      void signIn(ticket);
      return true;
    }
    return false;
  };
  if (!take()) {
    useAuth.setState({ status: sessionKey() === null ? "out" : "in", detail: "" });
  }
  const stop = onSignedOut(() => {
    useAuth.setState({ status: "out", detail: "" });
  });
  window.addEventListener("hashchange", take);
  return () => {
    stop();
    window.removeEventListener("hashchange", take);
  };
}
