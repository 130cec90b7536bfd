/** What the palette lists for some words. Pure. */
import type { MarkKind } from "@/components/mark";
import type { InboxItem, Workspace } from "@/generated/hub";
import { askWords } from "@/hub/ask-words";
import type { SessionEntry } from "@/lib/hub-messages";

export interface PaletteItem {
  id: string;
  label: string;
  /** At the end of the line: the project, the time. */
  fact: string;
  mark?: MarkKind;
  /** The shortcut that does the same, as it is shown. */
  keys?: string;
  run: () => void;
}

export interface PaletteGroup {
  name: "Waiting for you" | "Projects" | "Sessions" | "Actions";
  items: readonly PaletteItem[];
}

/** A sign at the beginning narrows to one kind. */
const SIGNS: Record<string, PaletteGroup["name"]> = { ">": "Actions", "@": "Projects", "#": "Sessions" };

export interface Query {
  only: PaletteGroup["name"] | null;
  words: readonly string[];
}

export function queryOf(text: string): Query {
  const only = SIGNS[text.trimStart().slice(0, 1)] ?? null;
  const rest = only === null ? text : text.trimStart().slice(1);
  return { only, words: rest.toLowerCase().split(/\s+/).filter(Boolean) };
}

function holds({ label, fact }: PaletteItem, words: readonly string[]): boolean {
  const text = `${label} ${fact}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Whether the label itself begins with what was typed, or one of its words does. */
function rank({ label }: PaletteItem, words: readonly string[]): number {
  const [first = ""] = words;
  const text = label.toLowerCase();
  if (first === "" || text.startsWith(first)) {
    return 0;
  }
  return text.split(/[\s\-_/.]+/).some((part) => part.startsWith(first)) ? 1 : 2;
}

/** More than these of a kind are found by typing on. */
const MOST = 8;

/** Give what matches, kind by kind; without words every kind shows its first few. */
export function found(groups: readonly PaletteGroup[], { only, words }: Query): PaletteGroup[] {
  const most = only === null ? MOST : 50;
  return groups
    .filter(({ name }) => only === null || name === only)
    .map(({ name, items }) => ({
      name,
      items: items
        .filter((item) => holds(item, words))
        .sort((a, b) => rank(a, words) - rank(b, words))
        .slice(0, most),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Cut a label where the words are, so that these can be shown bolder. */
export function pieces(label: string, words: readonly string[]): { text: string; hit: boolean }[] {
  const lower = label.toLowerCase();
  const hits = new Array<boolean>(label.length).fill(false);
  for (const word of words) {
    // Lower case may be longer than what it came from; then nothing is marked.
    for (let at = lower.indexOf(word); at !== -1 && lower.length === label.length; at = lower.indexOf(word, at + 1)) {
      hits.fill(true, at, at + word.length);
    }
  }
  const parts: { text: string; hit: boolean }[] = [];
  for (let at = 0; at < label.length; at += 1) {
    const hit = hits[at] === true;
    const last = parts.at(-1);
    if (last !== undefined && last.hit === hit) {
      last.text += label.charAt(at);
    } else {
      parts.push({ text: label.charAt(at), hit });
    }
  }
  return parts;
}

const SESSION_MARKS: Record<SessionEntry["activity"], MarkKind> = {
  idle: "done",
  queued: "pending",
  running: "running",
  needs_you: "needs-you",
};

export function waitingItems(inbox: readonly InboxItem[], open: (item: InboxItem) => void): PaletteItem[] {
  return inbox
    .filter(({ waiting }) => waiting)
    .map((item) => ({
      id: `waiting ${item.id}`,
      label: [askWords(item), item.title].filter((text) => text !== "").join(" · "),
      fact: item.workspace_name,
      mark: "needs-you",
      run: () => { open(item); },
    }));
}

export interface ProjectPlace {
  workspace: Workspace;
  mark: MarkKind;
  keys: string | undefined;
}

export function projectItems(places: readonly ProjectPlace[], show: (id: string) => void): PaletteItem[] {
  return places.map(({ workspace, mark, keys }) => ({
    id: `project ${workspace.id}`,
    label: workspace.name,
    fact: workspace.path,
    mark,
    ...(keys === undefined ? {} : { keys }),
    run: () => { show(workspace.id); },
  }));
}

export function sessionItems(
  sessions: Readonly<Record<string, readonly SessionEntry[]>>,
  nameOf: (workspace: string) => string | undefined,
  open: (workspace: string, session: string) => void,
): PaletteItem[] {
  return Object.entries(sessions)
    .flatMap(([workspace, entries]) => entries.map((entry) => ({ workspace, entry, name: nameOf(workspace) })))
    .filter(({ name }) => name !== undefined)
    .sort((a, b) => b.entry.updated_at.localeCompare(a.entry.updated_at))
    .map(({ workspace, entry, name = "" }) => ({
      id: `session ${workspace} ${entry.id}`,
      label: entry.title === "" ? "New session" : entry.title,
      fact: name,
      mark: SESSION_MARKS[entry.activity],
      run: () => { open(workspace, entry.id); },
    }));
}
