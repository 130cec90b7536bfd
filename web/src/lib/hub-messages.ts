/**
 * What the hub's page and a workspace page say to each other by `postMessage`.
 *
 * Both sides check origin and source first and then parse; what does not parse is dropped. The set
 * is small on purpose: nothing in it lets a workspace page act in the shell by itself.
 */
import { isShortcutId, type ShortcutId } from "@/lib/shortcuts";

export type FocusDirection = "forward" | "back";
export type Theme = "system" | "light" | "dark";
/** The settings that a daemon owns are drawn by its page, those of the shell by the hub's. */
export const PAGE_SECTIONS = ["models", "permissions", "folder"] as const;
export const HUB_SECTIONS = ["appearance", "notifications"] as const;
export type PageSection = (typeof PAGE_SECTIONS)[number];
export type HubSection = (typeof HUB_SECTIONS)[number];

/** A session as the palette lists it. */
export interface SessionEntry {
  id: string;
  title: string;
  activity: "idle" | "queued" | "running" | "needs_you";
  updated_at: string;
}

/** A page tells no more sessions than these. */
export const MOST_SESSIONS = 200;

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
  | { type: "badge"; waiting: number; running: number }
  /** The person wants the tour: a fresh copy of the sample project, as a project of its own. */
  | { type: "tour.wanted" }
  /** The person chose a section of the settings that the hub draws. */
  | { type: "settings.wanted"; section: HubSection }
  /** The answer to `sessions.wanted`: the newest sessions. */
  | { type: "sessions"; items: SessionEntry[] };

/** Hub page → workspace page. */
export type HubMessage =
  /** The frame is (not) in front: a hidden page is inert, silent and still. */
  | { type: "visible"; visible: boolean }
  /** Focus enters the page over its edge. */
  | { type: "focus.enter"; direction: FocusDirection }
  /** Width of the hub's window in pixels; decides the layout in ui.md's table. */
  | { type: "layout"; window_width: number }
  | { type: "theme"; theme: Theme }
  /** The person's size of text, in percent of the usual one. */
  | { type: "text-size"; percent: number }
  /** Show a section of the settings; null goes back to the session. */
  | { type: "settings"; section: PageSection | null }
  /** The palette opens and wants to know the sessions. */
  | { type: "sessions.wanted" }
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
const oneOf = <T extends string>(all: readonly T[], value: unknown): value is T => all.includes(value as T);

const ACTIVITIES = ["idle", "queued", "running", "needs_you"] as const;

function entriesOf(items: unknown): SessionEntry[] | null {
  if (!Array.isArray(items) || items.length > MOST_SESSIONS) {
    return null;
  }
  const entries: SessionEntry[] = [];
  for (const item of items as unknown[]) {
    const { id, title, activity, updated_at } = (item ?? {}) as Fields;
    if (!text(id, 128) || !text(title, 400) || !oneOf(ACTIVITIES, activity) || !text(updated_at, 40)) {
      return null;
    }
    entries.push({ id, title, activity, updated_at });
  }
  return entries;
}

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
  "tour.wanted": () => ({ type: "tour.wanted" }),
  "settings.wanted": ({ section }) =>
    oneOf(HUB_SECTIONS, section) ? { type: "settings.wanted", section } : null,
  sessions: ({ items }) => {
    const entries = entriesOf(items);
    return entries === null ? null : { type: "sessions", items: entries };
  },
};

const HUB_MESSAGES: Record<HubMessage["type"], (fields: Fields) => HubMessage | null> = {
  visible: ({ visible }) => (typeof visible === "boolean" ? { type: "visible", visible } : null),
  "focus.enter": ({ direction }) => (isDirection(direction) ? { type: "focus.enter", direction } : null),
  layout: ({ window_width }) => (isCount(window_width) ? { type: "layout", window_width } : null),
  theme: ({ theme }) => (isTheme(theme) ? { type: "theme", theme } : null),
  "text-size": ({ percent }) => (isCount(percent) ? { type: "text-size", percent } : null),
  settings: ({ section }) =>
    section === null || oneOf(PAGE_SECTIONS, section) ? { type: "settings", section } : null,
  "sessions.wanted": () => ({ type: "sessions.wanted" }),
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
