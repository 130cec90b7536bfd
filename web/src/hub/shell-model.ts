/** What the hub's page knows, and how it changes. Pure: no request, no window, no frame here. */
import type { ShellState, Workspace } from "@/generated/hub";
import { movedTo } from "@/hub/rail-order";

/** A kept page of a daemon. */
export interface Frame {
  url: string;
  /** What its messages must come from. */
  origin: string;
}

export interface Badge {
  waiting: number;
  running: number;
}

export interface LinkRequest {
  workspace: string;
  url: string;
}

export interface Refusal {
  code: string;
  detail: string;
}

/** What stands in the dialog when it opens. */
export interface Adding {
  path: string;
  refusal: Refusal | null;
}

export interface Shell {
  connection: "connecting" | "live" | "lost";
  /** What the hub said last; null until it has spoken. */
  state: ShellState | null;
  selected: string | null;
  /** Frames by workspace, each kept while its daemon lives at that origin. */
  frames: Readonly<Record<string, Frame>>;
  /** Workspaces whose frames are kept, the one shown last at the end. */
  recent: readonly string[];
  opening: Readonly<Record<string, true>>;
  /** Why the last attempt to open a workspace failed. */
  failures: Readonly<Record<string, string>>;
  /** What each page said of itself. */
  badges: Readonly<Record<string, Badge>>;
  link: LinkRequest | null;
  /** The dialog that takes a path is open. */
  adding: Adding | null;
  /** Moves in the rail that the hub has not taken yet, in their order. */
  moves: readonly { id: string; place: number }[];
  /** Requests to show a project that were followed already. */
  followed: number;
  /** The person's choice of the rail's width; null follows the window's. */
  wideRail: boolean | null;
}

export const EMPTY_SHELL: Shell = {
  connection: "connecting",
  state: null,
  selected: null,
  frames: {},
  recent: [],
  opening: {},
  failures: {},
  badges: {},
  link: null,
  adding: null,
  moves: [],
  followed: 0,
  wideRail: null,
};

/** Frames that are kept alive beside the shown one; each costs some 30 MB. */
export const MOST_FRAMES = 6;

function pick<T>(table: Readonly<Record<string, T>>, keep: (id: string, value: T) => boolean): Record<string, T> {
  return Object.fromEntries(Object.entries(table).filter(([id, value]) => keep(id, value)));
}

function without<T>(table: Readonly<Record<string, T>>, id: string): Record<string, T> {
  return pick(table, (other) => other !== id);
}

export function workspacesOf(shell: Shell): readonly Workspace[] {
  return shell.state?.workspaces ?? [];
}

export function findWorkspace(shell: Shell, id: string | null): Workspace | null {
  return workspacesOf(shell).find((workspace) => workspace.id === id) ?? null;
}

/** Its page froze or crashed the window's, and nobody has asked for it since. */
export function isHeld(shell: Shell, id: string): boolean {
  return shell.state?.held === id && shell.frames[id] === undefined;
}

function selectionAfter(shell: Shell, state: ShellState): string | null {
  const known = new Set(state.workspaces.map((workspace) => workspace.id));
  const asked = shell.state !== null && state.shown_count > shell.followed;
  const isFirst = shell.state === null || shell.selected === null;
  if ((asked || isFirst) && state.shown !== null && known.has(state.shown)) {
    return state.shown;
  }
  if (shell.selected !== null && known.has(shell.selected)) {
    return shell.selected;
  }
  return state.workspaces[0]?.id ?? null;
}

/**
 * Take what the hub says. A frame whose daemon is gone or moved goes at once: another process may
 * get its port, and would pass for it.
 */
export function withState(shell: Shell, state: ShellState): Shell {
  const origins = new Map(state.workspaces.map((workspace) => [workspace.id, workspace.base_url]));
  const workspaces = shell.moves.reduce((all, { id, place }) => movedTo(all, id, place), state.workspaces);
  const frames = pick(shell.frames, (id, frame) => origins.get(id) === frame.origin);
  return {
    ...shell,
    connection: "live",
    state: { ...state, workspaces },
    frames,
    recent: shell.recent.filter((id) => id in frames),
    badges: pick(shell.badges, (id) => id in frames),
    failures: pick(shell.failures, (id) => origins.has(id)),
    selected: selectionAfter(shell, state),
    followed: state.shown_count,
  };
}

/** A workspace is being opened; what went wrong before no longer counts. */
export function withOpening(shell: Shell, id: string): Shell {
  return { ...shell, opening: { ...shell.opening, [id]: true }, failures: without(shell.failures, id) };
}

/** Opening failed. */
export function withFailure(shell: Shell, id: string, why: string): Shell {
  return { ...shell, opening: without(shell.opening, id), failures: { ...shell.failures, [id]: why } };
}

/** A daemon's page may be shown; the frame that was shown longest ago makes room. */
export function withFrame(shell: Shell, id: string, frame: Frame): Shell {
  const recent = [...shell.recent.filter((other) => other !== id), id].slice(-MOST_FRAMES);
  const frames = pick({ ...shell.frames, [id]: frame }, (other) => recent.includes(other));
  // The hub's next state confirms it; until then the daemon counts as ready where it answered.
  const workspaces = workspacesOf(shell).map((workspace) =>
    workspace.id === id ? { ...workspace, base_url: frame.origin, state: "ready" as const, problem: "" } : workspace,
  );
  const state = shell.state === null ? null : { ...shell.state, workspaces };
  return { ...shell, state, frames, recent, opening: without(shell.opening, id) };
}

/** A project stands at another place, whatever the hub says until it has taken the move. */
export function withPlace(shell: Shell, id: string, place: number): Shell {
  const { state } = shell;
  if (state === null) {
    return shell;
  }
  const workspaces = movedTo(state.workspaces, id, place);
  return { ...shell, state: { ...state, workspaces }, moves: [...shell.moves, { id, place }] };
}

/** The hub has taken the oldest move, or refused it. */
export function withMoveSettled(shell: Shell): Shell {
  return { ...shell, moves: shell.moves.slice(1) };
}

/** A workspace was just registered; the hub's next state holds it too. */
export function withWorkspace(shell: Shell, added: Workspace): Shell {
  const { state } = shell;
  if (state === null || state.workspaces.some(({ id }) => id === added.id)) {
    return shell;
  }
  return { ...shell, state: { ...state, workspaces: [...state.workspaces, added] } };
}

/** A daemon is about to stop: its page goes first, it could only show a lost connection. */
export function withoutFrame(shell: Shell, id: string): Shell {
  return { ...shell, frames: without(shell.frames, id), recent: shell.recent.filter((other) => other !== id) };
}

/** Show another workspace. */
export function withSelected(shell: Shell, id: string): Shell {
  const recent = shell.recent.includes(id) ? [...shell.recent.filter((other) => other !== id), id] : shell.recent;
  return { ...shell, selected: id, recent };
}
