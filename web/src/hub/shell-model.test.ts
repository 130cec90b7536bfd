import { expect, test } from "vitest";
import type { ShellState, Workspace } from "@/generated/hub";
import {
  EMPTY_SHELL,
  isHeld,
  MOST_FRAMES,
  type Shell,
  withFailure,
  withFrame,
  withMoveSettled,
  withOpening,
  withoutFrame,
  withPlace,
  withSelected,
  withState,
} from "@/hub/shell-model";

function workspace(id: string, more: Partial<Workspace> = {}): Workspace {
  return {
    id,
    name: id,
    path: `/code/${id}`,
    state: "ready",
    location: "local",
    pid: 1,
    base_url: `http://127.0.0.1:1${id.length}`,
    problem: "",
    log_tail: [],
    ...more,
  } as Workspace;
}

function state(workspaces: Workspace[], more: Partial<ShellState> = {}): ShellState {
  return { type: "shell", workspaces, notices: [], window: true, shown: null, shown_count: 0, ...more } as ShellState;
}

const frameOf = (item: Workspace) => ({ url: `${item.base_url}/#t=1`, origin: item.base_url ?? "" });

function opened(...items: Workspace[]): Shell {
  return items.reduce((shell, item) => withFrame(shell, item.id, frameOf(item)), withState(EMPTY_SHELL, state(items)));
}

test("the first state shows the project that was shown last, else the first one", () => {
  const items = [workspace("a"), workspace("bb")];
  expect(withState(EMPTY_SHELL, state(items)).selected).toBe("a");
  expect(withState(EMPTY_SHELL, state(items, { shown: "bb" })).selected).toBe("bb");
  expect(withState(EMPTY_SHELL, state(items, { shown: "gone" })).selected).toBe("a");
  expect(withState(EMPTY_SHELL, state([])).selected).toBeNull();
});

test("a later state changes the selection only when a command asked for it", () => {
  const items = [workspace("a"), workspace("bb")];
  const shell = withState(EMPTY_SHELL, state(items, { shown: "a", shown_count: 1 }));
  expect(withState(shell, state(items, { shown: "bb", shown_count: 1 })).selected).toBe("a");
  expect(withState(shell, state(items, { shown: "bb", shown_count: 2 })).selected).toBe("bb");
});

test("a hub that began anew does not change what is shown", () => {
  const items = [workspace("a"), workspace("bb")];
  const shell = withState(EMPTY_SHELL, state(items, { shown: "a", shown_count: 5 }));
  const after = withState(shell, state(items, { shown: "bb", shown_count: 0 }));
  expect(after.selected).toBe("a");
  expect(withState(after, state(items, { shown: "bb", shown_count: 1 })).selected).toBe("bb");
});

test("a frame goes at once when its daemon is gone or has another address", () => {
  const [a, bb] = [workspace("a"), workspace("bb")];
  const shell = opened(a, bb);
  expect(Object.keys(shell.frames)).toEqual(["a", "bb"]);
  const gone = withState(shell, state([{ ...a, base_url: null, state: "crashed" }, bb]));
  expect(Object.keys(gone.frames)).toEqual(["bb"]);
  const moved = withState(shell, state([{ ...a, base_url: "http://127.0.0.1:99" }, bb]));
  expect(Object.keys(moved.frames)).toEqual(["bb"]);
  expect(moved.recent).toEqual(["bb"]);
});

test("a project that is taken off the list takes its frame and its selection along", () => {
  const [a, bb] = [workspace("a"), workspace("bb")];
  const shell = withState(withSelected(opened(a, bb), "bb"), state([a]));
  expect(shell.selected).toBe("a");
  expect(Object.keys(shell.frames)).toEqual(["a"]);
});

test("only the frames shown last are kept", () => {
  const items = Array.from({ length: MOST_FRAMES + 1 }, (_, index) => workspace("x".repeat(index + 1)));
  let shell = opened(...items.slice(0, MOST_FRAMES));
  shell = withSelected(shell, "x");
  shell = withFrame(shell, items.at(-1)!.id, frameOf(items.at(-1)!));
  expect(Object.keys(shell.frames)).toContain("x");
  expect(Object.keys(shell.frames)).not.toContain("xx");
  expect(Object.keys(shell.frames)).toHaveLength(MOST_FRAMES);
});

test("a failed start says why until the next one begins", () => {
  const shell = withFailure(withOpening(opened(workspace("a")), "a"), "a", "No room.");
  expect(shell.failures).toEqual({ a: "No room." });
  expect(shell.opening).toEqual({});
  expect(withOpening(shell, "a").failures).toEqual({});
});

test("a project whose page froze the window is held until it has a page again", () => {
  const items = [workspace("a"), workspace("bb")];
  const shell = withState(EMPTY_SHELL, state(items, { shown: "a", held: "a" }));
  expect(shell.selected).toBe("a");
  expect(isHeld(shell, "a")).toBe(true);
  expect(isHeld(shell, "bb")).toBe(false);
  const [first] = items;
  expect(first !== undefined && isHeld(withFrame(shell, "a", frameOf(first)), "a")).toBe(false);
  expect(isHeld(withState(shell, state(items, { shown: "a" })), "a")).toBe(false);
});

test("a move stands until the hub has taken it, whatever the hub says meanwhile", () => {
  const items = [workspace("a"), workspace("bb"), workspace("ccc")];
  const ids = (shell: Shell) => shell.state?.workspaces.map(({ id }) => id);
  const once = withPlace(withState(EMPTY_SHELL, state(items)), "ccc", 1);
  const twice = withPlace(once, "ccc", 0);
  expect(ids(twice)).toEqual(["ccc", "a", "bb"]);
  const afterFirst = [items[0]!, items[2]!, items[1]!];
  expect(ids(withState(withMoveSettled(twice), state(afterFirst)))).toEqual(["ccc", "a", "bb"]);
  const settled = withMoveSettled(withMoveSettled(twice));
  expect(ids(withState(settled, state(items)))).toEqual(["a", "bb", "ccc"]);
});

test("a page leaves before its daemon is stopped", () => {
  const shell = withoutFrame(opened(workspace("a"), workspace("bb")), "a");
  expect([Object.keys(shell.frames), shell.recent]).toEqual([["bb"], ["bb"]]);
});
