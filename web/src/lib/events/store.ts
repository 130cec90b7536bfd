/**
 * What the page knows of the daemon, live: the list of sessions, and the state of each session that
 * is followed. Everything that arrives between two paints is folded in one step.
 */
import { create } from "zustand";
import type { SessionList } from "@/generated/daemon";
import { api } from "@/lib/api-client";
import { webSocketTicket } from "@/lib/auth";
import { Frames } from "@/lib/events/frames";
import { apply, countsOf, emptyState } from "@/lib/events/reducer";
import { EventSocket, type SocketState } from "@/lib/events/socket";
import { useFrame } from "@/lib/frame-state";
import type { ClientMessage, Envelope, ServerMessage, SessionState, SessionSummary } from "@/lib/protocol";

interface Followed {
  state: SessionState;
  epoch: string;
  /** Something is missing: nothing is folded in until the snapshot that was asked for comes. */
  stale: boolean;
}

interface Events {
  socket: SocketState;
  /** The rows by id; null until the list was read once. */
  rows: Readonly<Record<string, SessionSummary>> | null;
  followed: Readonly<Record<string, Followed>>;
  /** Why the daemon does not let a session be followed. */
  refused: Readonly<Record<string, string>>;
}

const EMPTY: Events = { socket: { is: "connecting" }, rows: null, followed: {}, refused: {} };

export const useEvents = create<Events>()(() => EMPTY);

/** The state of a followed session; undefined until its first snapshot came. */
export function useSessionState(sessionId: string | null): SessionState | undefined {
  return useEvents((events) => {
    return sessionId === null ? undefined : events.followed[sessionId]?.state;
  });
}

const MOST_PAGES = 5;
const followers = new Map<string, number>();
let pending: ServerMessage[] = [];
/** Sessions that were pushed or taken out while the list is read. */
let touchedWhileReading: Set<string> | null = null;

const frames = new Frames(() => {
  const messages = pending;
  pending = [];
  useEvents.setState((events) => messages.reduce(fold, events));
});

const socket = new EventSocket(
  { address: `ws://${globalThis.location?.host ?? "127.0.0.1"}/api/events`, ticket: webSocketTicket },
  {
    onState: (state) => {
      useEvents.setState({ socket: state });
      if (state.is === "open") {
        void readRows();
      }
    },
    onMessage: (message) => {
      pending.push(message);
      frames.ask();
    },
    greeting: () => [rowsSubscription(), ...[...followers.keys()].map(subscription)],
  },
);

/** Says too whether a person sees this page: a daemon with nothing to do does not stay for a hidden one. */
function rowsSubscription(): ClientMessage {
  return { type: "subscribe", topic: "sessions", after_seq: 0, visible: useFrame.getState().visible };
}

function subscription(sessionId: string): ClientMessage {
  frames.flush();
  const known = useEvents.getState().followed[sessionId];
  const from = known === undefined || known.stale ? null : known;
  return {
    type: "subscribe",
    session_id: sessionId,
    after_seq: from?.state.seq ?? 0,
    epoch: from?.epoch ?? "",
    visible: null,
  };
}

/** Connect, and stay connected until the function it gives is called. */
export function startEvents(): () => void {
  const retry = () => {
    socket.retryNow();
  };
  const retryWhenSeen = () => {
    if (document.visibilityState === "visible") {
      retry();
    }
  };
  const stopTelling = useFrame.subscribe((frame, before) => {
    if (frame.visible !== before.visible) {
      socket.send(rowsSubscription());
    }
  });
  window.addEventListener("online", retry);
  document.addEventListener("visibilitychange", retryWhenSeen);
  socket.start();
  return () => {
    stopTelling();
    window.removeEventListener("online", retry);
    document.removeEventListener("visibilitychange", retryWhenSeen);
    socket.stop();
  };
}

/** Try to connect now. */
export function reconnect(): void {
  socket.retryNow();
}

/** Follow a session until the function it gives is called; its state stays known after that. */
export function follow(sessionId: string): () => void {
  const count = followers.get(sessionId) ?? 0;
  followers.set(sessionId, count + 1);
  if (count === 0) {
    socket.send(subscription(sessionId));
  }
  return () => {
    const left = (followers.get(sessionId) ?? 1) - 1;
    if (left > 0) {
      followers.set(sessionId, left);
      return;
    }
    followers.delete(sessionId);
    socket.send({ type: "unsubscribe", session_id: sessionId });
  };
}

/** Put a row in before the daemon's own word of it comes: it was just made by this page. */
export function putRow(row: SessionSummary): void {
  useEvents.setState((events) => ({ rows: { ...events.rows, [row.id]: row } }));
}

/** Read the whole list, archived sessions too; the oldest of very many stay away. */
async function listRows(): Promise<SessionSummary[]> {
  const rows: SessionSummary[] = [];
  for (const archived of [false, true]) {
    let cursor: string | null = "";
    for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
      const query = new URLSearchParams({ archived: String(archived), cursor, limit: "1000" });
      const list: SessionList = await api.get<SessionList>(`/api/sessions?${query}`);
      rows.push(...list.items);
      cursor = list.next_cursor;
    }
  }
  return rows;
}

async function readRows(): Promise<void> {
  const touched = new Set<string>();
  touchedWhileReading = touched;
  try {
    const items = await listRows();
    frames.flush();
    useEvents.setState((events) => {
      // What was pushed while the list was read is younger than the list.
      const old = items.filter((row) => !touched.has(row.id));
      const young = Object.values(events.rows ?? {}).filter((row) => touched.has(row.id));
      return { rows: Object.fromEntries([...old, ...young].map((row) => [row.id, row])) };
    });
  } catch {
    // The socket tells whether the daemon is there; the next connection reads again.
  } finally {
    if (touchedWhileReading === touched) {
      touchedWhileReading = null;
    }
  }
}

/** Fold one message of the daemon into what is known. Exported for its tests. */
export function fold(events: Events, message: ServerMessage): Events {
  switch (message.type) {
    case "event":
      return foldAll(events, message.event.session_id, [message.event]);
    case "replay":
      return foldAll(events, message.session_id, message.events);
    case "snapshot": {
      const { session_id, state, epoch } = message;
      return withFollowed(events, session_id, { state, epoch, stale: false });
    }
    case "session":
      touchedWhileReading?.add(message.session.id);
      return { ...events, rows: { ...events.rows, [message.session.id]: message.session } };
    case "session_removed": {
      touchedWhileReading?.add(message.session_id);
      const { [message.session_id]: _, ...rows } = events.rows ?? {};
      return { ...events, rows };
    }
    case "error":
      return message.session_id === null
        ? events
        : { ...events, refused: { ...events.refused, [message.session_id]: message.detail } };
    case "heartbeat":
      return checkCounts(events, message.sessions);
    case "resync":
      return again(events, message.session_id, events.followed[message.session_id]);
    default:
      return events;
  }
}

function withFollowed(events: Events, sessionId: string, followed: Followed): Events {
  return { ...events, followed: { ...events.followed, [sessionId]: followed } };
}

function foldAll(events: Events, sessionId: string, envelopes: readonly Envelope[]): Events {
  const known = events.followed[sessionId] ?? { state: emptyState(sessionId), epoch: "", stale: false };
  if (known.stale) {
    return events;
  }
  let { state, epoch } = known;
  for (const envelope of envelopes) {
    const applied = apply(state, envelope);
    state = applied.state;
    if (applied.gap || (epoch !== "" && envelope.epoch !== epoch)) {
      return again(events, sessionId, { state, epoch, stale: true });
    }
    epoch = envelope.epoch;
  }
  return withFollowed(events, sessionId, { state, epoch, stale: false });
}

/** Something is missing or differs: take the session from the daemon anew. */
function again(events: Events, sessionId: string, known: Followed | undefined): Events {
  if (followers.has(sessionId)) {
    socket.send({ type: "subscribe", session_id: sessionId, after_seq: 0, epoch: "", visible: null });
  }
  return known === undefined ? events : withFollowed(events, sessionId, { ...known, stale: true });
}

function checkCounts(events: Events, told: Extract<ServerMessage, { type: "heartbeat" }>["sessions"]): Events {
  let checked = events;
  for (const [sessionId, theirs] of Object.entries(told)) {
    const known = events.followed[sessionId];
    if (known === undefined || known.stale || known.state.seq !== theirs.seq) {
      continue;
    }
    const ours = countsOf(known.state);
    if (ours.messages !== theirs.messages || ours.parts !== theirs.parts || ours.chars !== theirs.chars) {
      checked = again(checked, sessionId, known);
    }
  }
  return checked;
}
