/** Moving projects in the rail. Pure. */
import type { Workspace } from "@/generated/hub";

/** How far a project may move: pinned ones stay before the others. */
function bounds(workspaces: readonly Workspace[], { pinned }: Workspace): [number, number] {
  const edge = workspaces.filter((other) => other.pinned).length;
  return pinned ? [0, edge - 1] : [edge, workspaces.length - 1];
}

/** Give the place, from 0, where a project comes to stand that is put at `place`. */
export function placeFor(workspaces: readonly Workspace[], id: string, place: number): number {
  const workspace = workspaces.find((other) => other.id === id);
  if (workspace === undefined) {
    return place;
  }
  const [first, last] = bounds(workspaces, workspace);
  return Math.min(Math.max(place, first), last);
}

/** Give the projects with one of them at another place. */
export function movedTo(workspaces: readonly Workspace[], id: string, place: number): Workspace[] {
  const moved = workspaces.find((other) => other.id === id);
  if (moved === undefined) {
    return [...workspaces];
  }
  const rest = workspaces.filter((other) => other.id !== id);
  rest.splice(placeFor(workspaces, id, place), 0, moved);
  return rest;
}

/** Where something that is dragged to `y` would come to stand: `middles` are those of the rows. */
export function placeAt(middles: readonly number[], from: number, y: number): number {
  const before = middles.filter((middle, place) => place !== from && middle < y).length;
  return Math.min(before, middles.length - 1);
}
