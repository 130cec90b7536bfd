import { useEffect, useRef } from "react";
import type { ShownInput } from "@/generated/hub";
import { usePageFacts } from "@/hub/page-facts";
import { openSession, showProject } from "@/hub/shell-actions";
import { PAGE } from "@/hub/shell-socket";
import { useShell } from "@/hub/shell-store";
import { useView } from "@/hub/view";
import { announceNow } from "@/lib/announce";
import { api } from "@/lib/api-client";
import { showToast } from "@/lib/toasts";

/** How long the hub believes what a page shows is more than twice this. */
const SAY_EVERY_MS = 10_000;

function shownNow(): ShownInput {
  const { view } = useView.getState();
  const { selected } = useShell.getState();
  const front = view.is === "project" && selected !== null ? usePageFacts.getState().fronts[selected] : undefined;
  return {
    // A page that has not spoken yet shows nothing: a new session it says itself.
    workspace_id: front === undefined ? null : selected,
    session_id: front ?? null,
    visible: document.visibilityState === "visible" && document.hasFocus(),
    page: PAGE,
  };
}

/** What ended in the session that is in front: seen as it ends, which the hub must hear. */
function endedHere({ workspace_id: workspace, session_id: session }: ShownInput): string {
  const items = useShell.getState().state?.inbox ?? [];
  const here = items.filter((item) => !item.waiting && item.workspace_id === workspace && item.session_id === session);
  return here.map(({ id }) => id).join(" ");
}

/** Keep the hub told what the person sees, so that nobody is notified of what is in front. */
export function useShownSaid(): void {
  useEffect(() => {
    let last = "";
    const say = (again: boolean) => {
      const shown = shownNow();
      // A hub that was away has forgotten what it was told.
      const key = `${useShell.getState().connection} ${JSON.stringify(shown)} ${endedHere(shown)}`;
      if (key !== last || (again && shown.visible)) {
        last = key;
        void api.put("/api/shown", shown).catch(() => {
          last = "";
        });
      }
    };
    // Focus that moves between this page and a frame in it leaves the window for no moment.
    const saySoon = () => window.setTimeout(() => { say(false); });
    const stops = [useView.subscribe(saySoon), useShell.subscribe(saySoon), usePageFacts.subscribe(saySoon)];
    const timer = window.setInterval(() => { say(true); }, SAY_EVERY_MS);
    window.addEventListener("focus", saySoon);
    window.addEventListener("blur", saySoon);
    document.addEventListener("visibilitychange", saySoon);
    saySoon();
    return () => {
      stops.forEach((stop) => { stop(); });
      window.clearInterval(timer);
      window.removeEventListener("focus", saySoon);
      window.removeEventListener("blur", saySoon);
      document.removeEventListener("visibilitychange", saySoon);
    };
  }, []);
}

/** Follow what a notification, the tray or a command asks to be shown. */
export function useShownAsked(): void {
  const count = useShell((shell) => shell.state?.shown_count ?? 0);
  useEffect(() => {
    const { state } = useShell.getState();
    if (count === 0 || state?.shown == null) {
      return;
    }
    if (state.shown_session === null) {
      showProject(state.shown);
    } else {
      openSession(state.shown, state.shown_session);
    }
  }, [count]);
}

/** Say inside the page what the system has no notifications for. */
export function useHubToasts(): void {
  const count = useShell((shell) => shell.state?.toast?.count ?? 0);
  const last = useRef<number | null>(null);
  useEffect(() => {
    const before = last.current;
    last.current = count;
    const said = useShell.getState().state?.toast;
    // What was said before this page was there is old, and the inbox itself says it better.
    if (said == null || before === null || count === before || useView.getState().view.is === "inbox") {
      return;
    }
    const { workspace_id: workspace, session_id: session } = said;
    const look = () => {
      if (session === null) {
        showProject(workspace);
      } else {
        openSession(workspace, session);
      }
    };
    showToast([said.title, said.body].filter(Boolean).join(": "), { tone: "ember", action: { label: "Look", onSelect: look } });
  }, [count]);
}

/** Speak for the hidden pages: what asks anew, save in the session that is in front. */
export function useAsksSpoken(): void {
  useEffect(() => {
    let known: ReadonlySet<string> | null = null;
    return useShell.subscribe(({ state, selected }) => {
      if (state === null) {
        return;
      }
      const waiting = state.inbox.filter((item) => item.waiting);
      const before = known;
      known = new Set(waiting.map(({ id }) => id));
      const inFront = useView.getState().view.is === "project" ? selected : null;
      const fresh = waiting.filter(({ id, workspace_id }) => before?.has(id) === false && workspace_id !== inFront);
      if (fresh.length > 0) {
        const asks = fresh.map(({ workspace_name: name, detail }) => `${name} asks: ${detail}`);
        announceNow(`${asks.join(" ")} Control I to answer.`);
      }
    });
  }, []);
}
