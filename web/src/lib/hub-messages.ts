/**
 * What the hub's page and a workspace page say to each other by `postMessage`.
 *
 * Both sides check origin and source first and then parse; what does not parse is dropped. The set
 * is small on purpose: nothing in it lets a workspace page act in the shell by itself.
 */
import { isShortcutId, type ShortcutId } from "@/lib/shortcuts";

export type FocusDirection = "forward" | "back";
export type Theme = "system" | "light" | "dark";

/** Workspace page → hub page. */
export type PageMessage =
  /** The page listens; also after each reload of it. */
  | { type: "ready" }
  /** Its session key is gone (the daemon was restarted): it needs a fresh ticket. */
  | { type: "ticket.wanted" }
  /** A shortcut of the hub was pressed inside the page. */
  | { type: "shortcut"; id: ShortcutId }
  /** Tab went over the page's edge. */
  | { type: "focus.leave"; direction: FocusDirection }
  /** The person chose a link: the hub shows its full address before anything opens. */
  | { type: "link"; url: string }
  /** Which session is in front; null for none. Notifications about it are not needed. */
  | { type: "front"; session_id: string | null }
  /** What the rail shows beside the project until the hub hears of it otherwise. */
  | { type: "badge"; waiting: number; running: number };

/** Hub page → workspace page. */
export type HubMessage =
  /** The frame is (not) in front: a hidden page is inert, silent and still. */
  | { type: "visible"; visible: boolean }
  /** Focus enters the page over its edge. */
  | { type: "focus.enter"; direction: FocusDirection }
  /** Width of the hub's window in pixels; decides the layout in ui.md's table. */
  | { type: "layout"; window_width: number }
  | { type: "theme"; theme: Theme }
  /** Open a session (deep link, notification, inbox). */
  | { type: "open"; session_id: string }
  /** A shortcut of the page was pressed in the hub. */
  | { type: "shortcut"; id: ShortcutId }
  | { type: "ticket"; ticket: string };

type Fields = Record<string, unknown>;

function fieldsOf(data: unknown): Fields | null {
  return typeof data === "object" && data !== null && (data as Fields)["lararium"] === 1 ? (data as Fields) : null;
}

const text = (value: unknown, most: number): value is string => typeof value === "string" && value.length <= most;
const isDirection = (value: unknown): value is FocusDirection => value === "forward" || value === "back";
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 0;
const isTheme = (value: unknown): value is Theme => value === "system" || value === "light" || value === "dark";

const PAGE_MESSAGES: Record<PageMessage["type"], (fields: Fields) => PageMessage | null> = {
  ready: () => ({ type: "ready" }),
  "ticket.wanted": () => ({ type: "ticket.wanted" }),
  shortcut: ({ id }) => (isShortcutId(id) ? { type: "shortcut", id } : null),
  "focus.leave": ({ direction }) => (isDirection(direction) ? { type: "focus.leave", direction } : null),
  link: ({ url }) => (text(url, 8192) ? { type: "link", url } : null),
  front: ({ session_id }) =>
    session_id === null || text(session_id, 128) ? { type: "front", session_id } : null,
  badge: ({ waiting, running }) =>
    isCount(waiting) && isCount(running) ? { type: "badge", waiting, running } : null,
};

const HUB_MESSAGES: Record<HubMessage["type"], (fields: Fields) => HubMessage | null> = {
  visible: ({ visible }) => (typeof visible === "boolean" ? { type: "visible", visible } : null),
  "focus.enter": ({ direction }) => (isDirection(direction) ? { type: "focus.enter", direction } : null),
  layout: ({ window_width }) => (isCount(window_width) ? { type: "layout", window_width } : null),
  theme: ({ theme }) => (isTheme(theme) ? { type: "theme", theme } : null),
  open: ({ session_id }) => (text(session_id, 128) ? { type: "open", session_id } : null),
  shortcut: ({ id }) => (isShortcutId(id) ? { type: "shortcut", id } : null),
  ticket: ({ ticket }) => (text(ticket, 256) ? { type: "ticket", ticket } : null),
};

function parse<T>(data: unknown, table: Record<string, (fields: Fields) => T | null>): T | null {
  const fields = fieldsOf(data);
  const type = fields?.["type"];
  if (fields === null || typeof type !== "string" || !Object.hasOwn(table, type)) {
    return null;
  }
  return table[type]?.(fields) ?? null;
}

/** Read what a workspace page sent; null for anything else. */
export function parsePageMessage(data: unknown): PageMessage | null {
  return parse(data, PAGE_MESSAGES);
}

/** Read what the hub's page sent; null for anything else. */
export function parseHubMessage(data: unknown): HubMessage | null {
  return parse(data, HUB_MESSAGES);
}

/** Wrap a message for `postMessage`. */
export function wrap(message: PageMessage | HubMessage): Fields {
  return { lararium: 1, ...message };
}
