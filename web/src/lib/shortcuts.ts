/** The one table of shortcuts. Hub page and workspace pages share it, so that a key works in both. */

export type ShortcutOwner = "hub" | "page";

interface Shortcut {
  owner: ShortcutOwner;
  /** `mod` is Ctrl, or Cmd on macOS. */
  keys: string;
  label: string;
  /** A browser keeps this key for itself: Alt does the same there. */
  browserTaken?: boolean;
}

const PLACES = [1, 2, 3, 4, 5, 6, 7, 8, 9] as const;
type Place = (typeof PLACES)[number];

const NAMED = {
  inbox: { owner: "hub", keys: "mod+i", label: "Inbox" },
  palette: { owner: "hub", keys: "mod+k", label: "Go to…" },
  settings: { owner: "hub", keys: "mod+,", label: "Settings" },
  rail: { owner: "hub", keys: "mod+b", label: "Show or hide the projects" },
  "session.new": { owner: "page", keys: "mod+n", label: "New session", browserTaken: true },
  ask: { owner: "page", keys: "mod+j", label: "Go to what waits for you" },
  find: { owner: "page", keys: "mod+f", label: "Find in all sessions" },
  search: { owner: "page", keys: "mod+shift+f", label: "Find in all sessions" },
  "run-panel": { owner: "page", keys: "mod+alt+b", label: "Show or hide the run" },
  rewind: { owner: "page", keys: "mod+shift+h", label: "Rewind" },
  "region.next": { owner: "page", keys: "f6", label: "Next region" },
  "region.back": { owner: "page", keys: "shift+f6", label: "Region before" },
  keys: { owner: "page", keys: "?", label: "All keys" },
} as const satisfies Record<string, Shortcut>;

export type ShortcutId = keyof typeof NAMED | `project.${Place}`;

const PROJECTS = Object.fromEntries(
  PLACES.map((place): [string, Shortcut] => [
    `project.${place}`,
    { owner: "hub", keys: `mod+${place}`, label: `Project ${place}`, browserTaken: true },
  ]),
) as Record<`project.${Place}`, Shortcut>;

export const SHORTCUTS: Record<ShortcutId, Shortcut> = { ...NAMED, ...PROJECTS };
const IDS = Object.keys(SHORTCUTS) as ShortcutId[];

/** Whether a value names a shortcut. */
export function isShortcutId(value: unknown): value is ShortcutId {
  return typeof value === "string" && Object.hasOwn(SHORTCUTS, value);
}

/** Whether this machine has Cmd where others have Ctrl. */
export const isMac = typeof navigator !== "undefined" && /mac/i.test(navigator.platform);

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">;

function chord(event: Pressed): string {
  const mod = isMac ? event.metaKey : event.ctrlKey;
  const digit = /^Digit([1-9])$/.exec(event.code)?.[1];
  // With Alt or Shift held, `key` may be another character: the letter's own place counts then.
  const letter = /^Key([A-Z])$/.exec(event.code)?.[1];
  const key = digit ?? (mod || event.altKey ? letter : undefined) ?? event.key;
  const shift = event.shiftKey && key !== "?";
  return `${mod ? "mod+" : ""}${event.altKey ? "alt+" : ""}${shift ? "shift+" : ""}${key.toLowerCase()}`;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select"))
  );
}

/** Give the shortcut that a key press means; null when it means none. */
export function matchShortcut(event: Pressed & { target?: EventTarget | null }): ShortcutId | null {
  if (event.ctrlKey && event.metaKey) {
    return null;
  }
  const pressed = chord(event);
  if (pressed === "?" && isTyping(event.target ?? null)) {
    return null;
  }
  for (const id of IDS) {
    const { keys, browserTaken } = SHORTCUTS[id];
    if (pressed === keys || (browserTaken === true && pressed === keys.replace("mod", "alt"))) {
      return id;
    }
  }
  return null;
}

const SHOWN: Record<string, string> = isMac
  ? { mod: "⌘", alt: "⌥", shift: "⇧" }
  : { mod: "Ctrl", alt: "Alt", shift: "Shift" };

/** Give a shortcut as it is shown on its control, e.g. "Ctrl J". */
export function shownKeys(id: ShortcutId, inBrowser = false): string {
  const { keys, browserTaken } = SHORTCUTS[id];
  const held = inBrowser && browserTaken === true ? keys.replace("mod", "alt") : keys;
  return held
    .split("+")
    .map((key) => SHOWN[key] ?? key.toUpperCase())
    .join(" ");
}
