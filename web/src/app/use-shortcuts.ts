import { useEffect } from "react";
import { openSearch } from "@/features/sessions/opened";
import { closeSettings } from "@/features/settings/opened";
import { useEvents } from "@/lib/events/store";
import { showSession, useFrontSession } from "@/lib/front-session";
import { hearHub, isFramed, tellHub } from "@/lib/hub-link";
import { MOST_SESSIONS } from "@/lib/hub-messages";
import { interrupt } from "@/lib/session-actions";
import { matchShortcut, type ShortcutId, SHORTCUTS } from "@/lib/shortcuts";
import { openKeys } from "./keys-dialog";
import { takeLastMessage } from "./last-message";
import { enterFocus, focusRegion } from "./regions";

/** Go to what waits: here first, then in the session that has waited longest. */
function goToAsk(): void {
  const card = document.querySelector<HTMLElement>("[data-needs-you]");
  if (card !== null) {
    card.focus();
    return;
  }
  const waiting = Object.values(useEvents.getState().rows ?? {})
    .filter((row) => row.activity === "needs_you")
    .sort((a, b) => a.updated_at.localeCompare(b.updated_at));
  const [first] = waiting;
  if (first !== undefined) {
    showSession(first.id);
  } else {
    // Nothing waits in this project; another one may.
    tellHub({ type: "shortcut", id: "inbox" });
  }
}

/** Tell the palette which sessions there are, the newest ones where there are very many. */
function tellSessions(): void {
  const items = Object.values(useEvents.getState().rows ?? {})
    .filter((row) => !row.archived)
    .sort((a, b) => b.updated_at.localeCompare(a.updated_at))
    .slice(0, MOST_SESSIONS)
    .map(({ id, title, activity, updated_at }) => ({ id, title, activity, updated_at }));
  tellHub({ type: "sessions", items });
}

/** Both keys lead to the one search: it finds in titles and in the text. */
function search(): void {
  closeSettings();
  openSearch();
}

const ACTIONS: Partial<Record<ShortcutId, () => void>> = {
  "session.new": () => { showSession(null); },
  ask: goToAsk,
  find: search,
  search,
  keys: openKeys,
  "region.next": () => { focusRegion(1); },
  "region.back": () => { focusRegion(-1); },
};

/** Stop the run in front: Esc, once no layer is open that it would close, nor another page shown. */
function stopRun(): void {
  if (document.querySelector("[data-composer]") === null) {
    return;
  }
  const { id } = useFrontSession.getState();
  const run = id === null ? null : useEvents.getState().followed[id]?.state.run;
  if (id !== null && run != null && run.outcome === null) {
    void interrupt(id).catch(() => {
      // Out of reach: the connection's banner says so.
    });
  }
}

let hadKey = false;

/**
 * Let the first key begin the message. WebKit keeps a framed page of another origin from taking
 * focus by itself until the person has pressed a key or clicked in it; the key then lands here.
 */
function beginTyping(event: KeyboardEvent): void {
  const printable = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (isFramed && !hadKey && printable && document.activeElement === document.body) {
    document.querySelector<HTMLElement>("[data-composer]")?.focus();
  }
  hadKey ||= printable;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) {
    return;
  }
  beginTyping(event);
  if (takeLastMessage(event)) {
    event.preventDefault();
    return;
  }
  if (event.key === "Escape" && document.querySelector('[role="dialog"], [role="menu"]') === null) {
    stopRun();
    return;
  }
  const id = matchShortcut(event);
  if (id === null) {
    return;
  }
  if (SHORTCUTS[id].owner === "hub") {
    event.preventDefault();
    tellHub({ type: "shortcut", id });
  } else if (ACTIONS[id] !== undefined) {
    event.preventDefault();
    ACTIONS[id]();
  }
}

/** The page's own keys, those it passes to the hub, and those the hub passes to it. */
export function useShortcuts(): void {
  useEffect(() => {
    window.addEventListener("keydown", onKeyDown);
    const stop = hearHub((message) => {
      if (message.type === "shortcut") {
        ACTIONS[message.id]?.();
      } else if (message.type === "open") {
        showSession(message.session_id);
      } else if (message.type === "sessions.wanted") {
        tellSessions();
      } else if (message.type === "focus.enter") {
        enterFocus(message.direction);
      }
    });
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      stop();
    };
  }, []);
}
