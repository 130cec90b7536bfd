/** What can be done from the palette. */
import { Bell, Cpu, FolderLock, FolderPlus, Inbox, type LucideIcon, Palette, RotateCw, Shield, Square, SquarePen } from "lucide-react";
import type { Workspace } from "@/generated/hub";
import { focusFrame, tellFrame } from "@/hub/frame-link";
import { isAlive } from "@/hub/project-state";
import { openFolder, openPageSettings, restartProject, startSafely, stopProject } from "@/hub/shell-actions";
import { showInbox, showProjectView, showSettings } from "@/hub/view";
import { type ShortcutId, shownKeys } from "@/lib/shortcuts";
import type { PaletteItem } from "./palette-items";

export const ACTION_ICONS: Record<string, LucideIcon> = {
  "action new": SquarePen,
  "action inbox": Inbox,
  "action open": FolderPlus,
  "action models": Cpu,
  "action permissions": Shield,
  "action folder": FolderLock,
  "action appearance": Palette,
  "action notifications": Bell,
  "action restart": RotateCw,
  "action stop": Square,
};

function newSession(id: string): void {
  showProjectView();
  focusFrame(id);
  tellFrame(id, { type: "shortcut", id: "session.new" });
}

/** `selected` is the project in front, with its page; null when it has none. */
export function actionItems(selected: Workspace | null, hasPage: boolean, inBrowser: boolean): PaletteItem[] {
  const keys = (id: ShortcutId) => shownKeys(id, inBrowser);
  const action = (name: string, label: string, run: () => void, shown?: string): PaletteItem => ({
    id: `action ${name}`,
    label,
    fact: "",
    ...(shown === undefined ? {} : { keys: shown }),
    run,
  });
  const items = [
    action("inbox", "Inbox", showInbox, keys("inbox")),
    action("open", "Open a folder", () => void openFolder()),
    action("appearance", "Settings: appearance", () => { showSettings("appearance"); }, keys("settings")),
    action("notifications", "Settings: notifications", () => { showSettings("notifications"); }),
  ];
  if (selected === null) {
    return items;
  }
  const { id, name } = selected;
  if (hasPage) {
    items.unshift(action("new", `New session in ${name}`, () => { newSession(id); }, keys("session.new")));
  }
  items.push(
    action("models", "Settings: models and providers", () => { openPageSettings(id, "models"); }),
    action("permissions", `Settings: permissions of ${name}`, () => { openPageSettings(id, "permissions"); }),
    action("folder", `Settings: trust and instructions of ${name}`, () => { openPageSettings(id, "folder"); }),
  );
  if (isAlive(selected)) {
    items.push(
      action("restart", `Restart the daemon of ${name}`, () => void restartProject(id)),
      action("safe-start", `Restart the daemon of ${name} safely`, () => void startSafely(id)),
      action("stop", `Stop the daemon of ${name}`, () => void stopProject(id)),
    );
  }
  return items;
}
