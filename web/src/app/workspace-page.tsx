import { useCallback, useEffect, useState } from "react";
import { SessionsPanel } from "@/features/sessions/sessions-panel";
import { startUnread } from "@/features/sessions/unread";
import { useDaemonStatus } from "@/features/status/use-daemon-status";
import { startEvents, useEvents } from "@/lib/events/store";
import { useLayout } from "@/lib/frame-state";
import { startFrontSession } from "@/lib/front-session";
import { isFramed, tellHub } from "@/lib/hub-link";
import { Drawer } from "./drawer";
import { SessionView } from "./session-view";
import { useShortcuts } from "./use-shortcuts";

function useWorkspace(): void {
  useEffect(() => {
    const stops = [startUnread(), startFrontSession(), startEvents()];
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }, []);
  const rows = useEvents((events) => events.rows);
  const activities = Object.values(rows ?? {}).map((row) => row.activity);
  const waiting = activities.filter((activity) => activity === "needs_you").length;
  const running = activities.filter((activity) => activity === "running").length;
  useEffect(() => {
    tellHub({ type: "badge", waiting, running });
  }, [waiting, running]);
}

/** The frame of a workspace: sessions beside the session in front, as the window has room. */
export function WorkspacePage() {
  useWorkspace();
  useShortcuts();
  const layout = useLayout();
  const folder = useDaemonStatus()?.workspace_path ?? "";
  const [drawer, setDrawer] = useState(false);
  const close = useCallback(() => { setDrawer(false); }, []);
  const beside = layout === "wide" || layout === "medium";
  const panel = (
    <SessionsPanel folder={folder} inBrowser={!isFramed} onChosen={close} onClose={beside ? null : close} />
  );
  // Alone in a browser the page draws the sheet that the hub draws around it otherwise.
  const sheet = isFramed || layout === "small" ? "" : "rounded-sheet border border-line1";
  return (
    <div className={`h-full ${isFramed || layout === "small" ? "" : "p-2"}`}>
      <div className={`flex h-full overflow-hidden bg-bg1 ${sheet}`}>
        {beside ? (
          <div className="w-(--container-sessions) shrink-0 border-e border-line1">{panel}</div>
        ) : (
          <Drawer open={drawer} wide={layout === "small"} onClose={close}>
            {panel}
          </Drawer>
        )}
        <SessionView onSessions={beside ? null : () => { setDrawer(true); }} />
      </div>
    </div>
  );
}
