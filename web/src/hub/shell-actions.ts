/** What the person can do in the shell: each asks the hub, and puts what it says into the store. */
import type { FolderPicked, Workspace, WorkspaceOpened, WorkspacePatchInput } from "@/generated/hub";
import { shellPainted } from "@/hub/first-paint";
import { tellFrame, tellFrameOnce } from "@/hub/frame-link";
import { placeFor } from "@/hub/rail-order";
import { type Refusal, withFailure, withFrame, withMoveSettled, withOpening, withPlace, withSelected, withWorkspace, withoutFrame } from "@/hub/shell-model";
import { changeShell, useShell } from "@/hub/shell-store";
import { showProjectView } from "@/hub/view";
import { announce } from "@/lib/announce";
import { ApiError, api, sentenceOf } from "@/lib/api-client";
import type { PageSection } from "@/lib/hub-messages";
import { showToast } from "@/lib/toasts";

/** A person in front of a dialog may take as long as the hub waits for one. */
const PERSON_MS = 605_000;
/** A daemon that starts on a busy machine. */
const START_MS = 60_000;

const path = (id: string, verb = "") => `/api/workspaces/${encodeURIComponent(id)}${verb}`;

/** What to say of a failed request to the hub. */
export function sayHub(error: unknown): string {
  if (error instanceof ApiError && error.status === 0) {
    return "Lararium does not answer. Its daemons go on with their work.";
  }
  return sentenceOf(error);
}

async function openBy(id: string, verb: "/open" | "/restart" | "/safe-start"): Promise<void> {
  if (useShell.getState().opening[id] === true) {
    return;
  }
  changeShell((shell) => withOpening(shell, id));
  try {
    const opened = await api.post<WorkspaceOpened>(path(id, verb), undefined, { timeoutMs: START_MS });
    await shellPainted();
    changeShell((shell) => withFrame(shell, id, { url: opened.page_url, origin: opened.base_url }));
  } catch (error) {
    changeShell((shell) => withFailure(shell, id, sayHub(error)));
  }
}

/** Start the daemon of a workspace, or wake it, and load its page. */
export function openProject(id: string): Promise<void> {
  return openBy(id, "/open");
}

/** Show a workspace; its daemon is started when its page is not there yet. */
export function showProject(id: string): void {
  showProjectView();
  changeShell((shell) => withSelected(shell, id));
  if (useShell.getState().frames[id] === undefined) {
    void openProject(id);
  } else {
    void api.post(path(id, "/seen")).catch(() => {
      // Only a note of what to show first next time.
    });
  }
}

/** Show a session of a workspace; its daemon is started when it has to be. */
export function openSession(id: string, sessionId: string): void {
  tellFrameOnce(id, { type: "open", session_id: sessionId });
  showProject(id);
}

/** Show a section of the settings that a workspace's own page draws. */
export function openPageSettings(id: string, section: PageSection): void {
  tellFrameOnce(id, { type: "settings", section });
  showProject(id);
}

/** Stop the daemon with its tools and start it again. */
export function restartProject(id: string): Promise<void> {
  return openBy(id, "/restart");
}

/** The same without anything that the project or an extension brings, to find what breaks it. */
export function startSafely(id: string): Promise<void> {
  return openBy(id, "/safe-start");
}

/** Stop the daemon with its tools. */
export async function stopProject(id: string): Promise<void> {
  changeShell((shell) => withoutFrame(shell, id));
  try {
    await api.post(path(id, "/stop"), undefined, { timeoutMs: START_MS });
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}

async function change(id: string, given: WorkspacePatchInput): Promise<void> {
  try {
    await api.patch(path(id), given);
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}

/** Give a project another name; its folder keeps its own. */
export function renameProject(id: string, name: string): Promise<void> {
  return change(id, { name });
}

/** Let a project stand before those that are not pinned, or no longer. */
export function pinProject(id: string, pinned: boolean): Promise<void> {
  return change(id, { pinned });
}

let moves: Promise<void> = Promise.resolve();

/** Put a project at another place, from 0; at once in the page. */
export function moveProject(id: string, place: number): Promise<void> {
  const workspaces = useShell.getState().state?.workspaces ?? [];
  const bounded = placeFor(workspaces, id, place);
  const moved = workspaces.find((workspace) => workspace.id === id);
  changeShell((shell) => withPlace(shell, id, bounded));
  announce(`${moved?.name ?? "Project"}, place ${bounded + 1} of ${workspaces.length}`);
  // One after the other: two at once could be taken in the wrong order.
  moves = moves.then(async () => {
    await change(id, { place: bounded });
    changeShell(withMoveSettled);
  });
  return moves;
}

/** End the tour: its daemon stops, the copy of the sample project is deleted. */
export async function endTour(workspace: Workspace): Promise<void> {
  changeShell((shell) => withoutFrame(shell, workspace.id));
  try {
    await api.delete(`/api/tour/${encodeURIComponent(workspace.id)}`, { timeoutMs: START_MS });
    showToast("The tour and its folder are removed.");
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}

/** Take a project off the list. */
export async function removeProject(workspace: Workspace): Promise<void> {
  try {
    await api.delete(path(workspace.id));
    showToast(`${workspace.name} is off the list. Its folder and sessions are kept.`, {
      action: { label: "Undo", onSelect: () => void addFolder(workspace.path, true) },
    });
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}

/** Register a folder and show it. Rejects with the hub's reason. */
export async function addFolder(folder: string, nested = false): Promise<void> {
  const added = await api.post<Workspace>("/api/workspaces", { path: folder, nested });
  changeShell((shell) => withWorkspace(shell, added));
  showProject(added.id);
}

let takingTour = false;

/** Begin the tour: in a fresh copy of the sample project, which is a project of its own. */
export async function takeTour(): Promise<void> {
  if (takingTour) {
    return;
  }
  takingTour = true;
  try {
    const sample = await api.post<Workspace>("/api/tour");
    changeShell((shell) => withWorkspace(shell, sample));
    showProject(sample.id);
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  } finally {
    takingTour = false;
  }
}

/** Open the dialog that takes a path. */
export function askForPath(path: string, refusal: Refusal | null): void {
  changeShell((shell) => ({ ...shell, adding: { path, refusal } }));
}

/** Let the person choose a folder: in the native dialog, or by its path where there is none. */
export async function chooseFolder(): Promise<string | null> {
  if (useShell.getState().state?.window !== true) {
    askForPath("", null);
    return null;
  }
  try {
    const picked = await api.post<FolderPicked>("/api/native/pick-folder", {}, { timeoutMs: PERSON_MS });
    return picked.path;
  } catch (error) {
    if (error instanceof ApiError && error.status === 501) {
      askForPath("", null);
    } else if (!(error instanceof ApiError && error.code === "dialog_open")) {
      showToast(sayHub(error), { tone: "bad" });
    }
    return null;
  }
}

/** Choose a folder and open it; a folder inside another project opens the dialog that asks. */
export async function openFolder(): Promise<void> {
  const folder = await chooseFolder();
  if (folder === null) {
    return;
  }
  try {
    await addFolder(folder);
  } catch (error) {
    askForPath(folder, refusalOf(error));
  }
}

/** Why a folder was not taken. */
export function refusalOf(error: unknown): Refusal {
  return { code: error instanceof ApiError ? error.code : "unknown", detail: sayHub(error) };
}

/** Get a page that lost its key a new ticket; a daemon that moved gets a new frame. */
export async function renewTicket(id: string): Promise<void> {
  try {
    const opened = await api.post<WorkspaceOpened>(path(id, "/open"), undefined, { timeoutMs: START_MS });
    const ticket = new URLSearchParams(new URL(opened.page_url).hash.slice(1)).get("t");
    if (useShell.getState().frames[id]?.origin === opened.base_url && ticket !== null) {
      tellFrame(id, { type: "ticket", ticket });
    } else {
      changeShell((shell) => withFrame(shell, id, { url: opened.page_url, origin: opened.base_url }));
    }
  } catch (error) {
    changeShell((shell) => withFailure(shell, id, sayHub(error)));
  }
}

/** Hand an address that the person confirmed to the system. */
export async function openExternal(url: string): Promise<void> {
  try {
    await api.post("/api/native/open-external", { url });
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}
