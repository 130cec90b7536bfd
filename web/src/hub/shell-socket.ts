/** Follows the hub: its whole state after each change, over one WebSocket that comes back by itself. */
import type { ShellState } from "@/generated/hub";
import { withState } from "@/hub/shell-model";
import { changeShell } from "@/hub/shell-store";
import { ApiError } from "@/lib/api-client";
import { webSocketTicket } from "@/lib/auth";

/** This page's name for the hub: what it shows counts for as long as it follows. */
export const PAGE = crypto.randomUUID();
const FIRST_RETRY_MS = 150;
const LAST_RETRY_MS = 3_000;
/** The hub says something every 15 s; twice that without a word is a lost connection. */
const SILENCE_MS = 35_000;

function isShellState(data: unknown): data is ShellState {
  return typeof data === "object" && data !== null && (data as { type?: unknown }).type === "shell";
}

/** Follow the hub until the returned function is called. */
export function followShell(): () => void {
  let socket: WebSocket | null = null;
  let timer: number | undefined;
  let retryMs = FIRST_RETRY_MS;
  let stopped = false;

  const later = () => {
    if (stopped) {
      return;
    }
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void connect(), retryMs);
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };
  const lose = () => {
    socket = null;
    changeShell((shell) => (stopped ? shell : { ...shell, connection: shell.state === null ? "connecting" : "lost" }));
    later();
  };
  const hear = (event: MessageEvent<string>) => {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => socket?.close(), SILENCE_MS);
    const data: unknown = JSON.parse(event.data);
    if (isShellState(data)) {
      retryMs = FIRST_RETRY_MS;
      changeShell((shell) => withState(shell, data));
    }
  };
  const connect = async () => {
    try {
      const ticket = await webSocketTicket();
      if (stopped) {
        return;
      }
      // WebKit throws here, at once, what others report as an event.
      socket = new WebSocket(`ws://${window.location.host}/api/events`, ["lar.v1", `ticket.${ticket}`]);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) {
        // The page is signed out; following begins again when it has a new key.
        return;
      }
      lose();
      return;
    }
    const opened = socket;
    opened.onopen = () => {
      opened.send(JSON.stringify({ type: "subscribe", topic: "shell", page: PAGE }));
    };
    opened.onmessage = hear;
    opened.onclose = lose;
  };

  void connect();
  return () => {
    stopped = true;
    window.clearTimeout(timer);
    socket?.close();
  };
}
