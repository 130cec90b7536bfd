import { useEffect } from "react";
import { focusFrame, hearFrames, tellFrame } from "@/hub/frame-link";
import { requestLink } from "@/hub/link-dialog";
import { takePageFact } from "@/hub/page-facts";
import { tellAppearance } from "@/hub/settings/shell-settings";
import { renewTicket, showProject, takeTour } from "@/hub/shell-actions";
import { workspacesOf } from "@/hub/shell-model";
import { changeShell, useShell } from "@/hub/shell-store";
import { openPalette, showInbox, showProjectView, showSettings, useView } from "@/hub/view";
import type { PageMessage } from "@/lib/hub-messages";
import { SHORTCUTS, type ShortcutId, matchShortcut } from "@/lib/shortcuts";

const PLACES: Partial<Record<ShortcutId, () => void>> = {
  inbox: showInbox,
  palette: openPalette,
  settings: () => { showSettings("appearance"); },
};

/** Do what a shortcut of the hub means; false when it means nothing here. */
function runShortcut(id: ShortcutId): boolean {
  const place = /^project\.([1-9])$/.exec(id)?.[1];
  if (place !== undefined) {
    const workspace = workspacesOf(useShell.getState())[Number(place) - 1];
    if (workspace !== undefined) {
      showProject(workspace.id);
    }
    return true;
  }
  if (id === "rail") {
    changeShell((shell) => ({ ...shell, wideRail: !(shell.wideRail ?? window.innerWidth >= 1100) }));
    return true;
  }
  const go = PLACES[id];
  go?.();
  return go !== undefined;
}

/** Hand a shortcut to the selected project's page; false when there is none in the sheet. */
function passShortcut(id: ShortcutId): boolean {
  const { selected, frames } = useShell.getState();
  if (selected === null || frames[selected] === undefined || id === "keys") {
    return false;
  }
  if (id === "session.new") {
    showProjectView();
  }
  if (useView.getState().view.is !== "project") {
    return false;
  }
  focusFrame(selected);
  tellFrame(selected, { type: "shortcut", id });
  return true;
}

function onKey(event: KeyboardEvent): void {
  const id = matchShortcut(event);
  if (id === null) {
    return;
  }
  if (SHORTCUTS[id].owner === "page" ? passShortcut(id) : runShortcut(id)) {
    event.preventDefault();
  }
}

function focusRail(direction: "forward" | "back"): void {
  const items = document.querySelectorAll<HTMLElement>("nav li > button");
  const current = document.querySelector<HTMLElement>('nav [aria-current="page"]');
  (direction === "back" ? (current ?? items[0]) : items[0])?.focus();
}

/** What any kept page may say. */
function onMessage(id: string, message: PageMessage): void {
  const shown = id === useShell.getState().selected && useView.getState().view.is === "project";
  if (takePageFact(id, message)) {
    return;
  }
  switch (message.type) {
    case "ready":
      tellFrame(id, { type: "layout", window_width: window.innerWidth });
      tellFrame(id, { type: "visible", visible: shown });
      tellAppearance(id);
      if (shown) {
        focusFrame(id);
      }
      break;
    case "ticket.wanted":
      void renewTicket(id);
      break;
    case "badge":
      changeShell((before) => ({
        ...before,
        badges: { ...before.badges, [id]: { waiting: message.waiting, running: message.running } },
      }));
      break;
    default:
      if (shown) {
        onShownMessage(id, message);
      }
  }
}

/** Whether a person pressed something a moment ago: what makes a project is no page's own idea. */
function wasPressed(): boolean {
  const { userActivation } = navigator as { userActivation?: UserActivation };
  return userActivation?.isActive !== false;
}

/** What only the shown page may say: a hidden one has no keyboard and no pointer. */
function onShownMessage(id: string, message: PageMessage): void {
  if (message.type === "shortcut" && SHORTCUTS[message.id].owner === "hub") {
    runShortcut(message.id);
  } else if (message.type === "focus.leave") {
    focusRail(message.direction);
  } else if (message.type === "link") {
    requestLink(id, message.url);
  } else if (message.type === "settings.wanted") {
    showSettings(message.section);
  } else if (message.type === "tour.wanted" && wasPressed()) {
    void takeTour();
  }
}

/** Keys, messages and size: what connects the hub's page to the pages it frames. */
export function useShellKeys(): void {
  useEffect(() => {
    const onResize = () => {
      for (const id of Object.keys(useShell.getState().frames)) {
        tellFrame(id, { type: "layout", window_width: window.innerWidth });
      }
    };
    window.addEventListener("keydown", onKey, true);
    window.addEventListener("resize", onResize);
    const stop = hearFrames(onMessage);
    return () => {
      window.removeEventListener("keydown", onKey, true);
      window.removeEventListener("resize", onResize);
      stop();
    };
  }, []);
}
