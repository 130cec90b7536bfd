import { useEffect } from "react";
import { OnboardingPage } from "@/features/onboarding/onboarding-page";
import { closeOnboarding, offerOnboarding, openOnboarding, useOnboarding } from "@/features/onboarding/opened";
import { closeSessions, openSessions, useSessionsList } from "@/features/sessions/opened";
import { SessionsPanel } from "@/features/sessions/sessions-panel";
import { startUnread } from "@/features/sessions/unread";
import { closeSettings, useSettings } from "@/features/settings/opened";
import { SettingsPage } from "@/features/settings/settings-page";
import { useDaemonStatus } from "@/features/status/use-daemon-status";
import { startEvents, useEvents } from "@/lib/events/store";
import { useLayout } from "@/lib/frame-state";
import { startFrontSession, useFrontSession } from "@/lib/front-session";
import { hearHub, isFramed, tellHub } from "@/lib/hub-link";
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

/** Offers to choose a model where none answers and nothing was begun yet. */
function useOffer(): void {
  const usable = useDaemonStatus()?.model.usable;
  const isFirst = useEvents((events) => events.rows !== null && Object.keys(events.rows).length === 0);
  useEffect(() => {
    if (usable === false && isFirst) {
      offerOnboarding();
    }
  }, [usable, isFirst]);
}

/** Follows what the hub says about the settings; a session that is opened closes them. */
function useSettingsAsked(): void {
  useEffect(() => {
    const stops = [
      hearHub((message) => {
        if (message.type === "settings") {
          useSettings.setState({ section: message.section });
        }
      }),
      useFrontSession.subscribe(closeSettings),
    ];
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }, []);
}

interface BodyProps {
  folder: string;
}

/** The sessions beside the session in front, as the window has room. */
function Sessions({ folder }: BodyProps) {
  const layout = useLayout();
  const drawer = useSessionsList((list) => list.drawer);
  const beside = layout === "wide" || layout === "medium";
  const panel = (
    <SessionsPanel folder={folder} inBrowser={!isFramed} onChosen={closeSessions} onClose={beside ? null : closeSessions} />
  );
  return (
    <>
      {beside ? (
        <div className="w-(--container-sessions) shrink-0 border-e border-line1">{panel}</div>
      ) : (
        <Drawer open={drawer} wide={layout === "small"} onClose={closeSessions}>
          {panel}
        </Drawer>
      )}
      <SessionView onSessions={beside ? null : openSessions} />
    </>
  );
}

function Body({ folder }: BodyProps) {
  const open = useOnboarding((state) => state.open);
  const section = useSettings((state) => state.section);
  const project = useDaemonStatus()?.workspace_name ?? "";
  if (open !== "no") {
    return <OnboardingPage folder={folder} asked={open === "asked"} onDone={closeOnboarding} />;
  }
  if (section !== null) {
    return <SettingsPage section={section} project={project} folder={folder} onAddModel={openOnboarding} />;
  }
  return <Sessions folder={folder} />;
}

/** The frame of a workspace. */
export function WorkspacePage() {
  useWorkspace();
  useShortcuts();
  useOffer();
  useSettingsAsked();
  const layout = useLayout();
  const folder = useDaemonStatus()?.workspace_path ?? "";
  // Alone in a browser the page draws the sheet that the hub draws around it otherwise.
  const sheet = isFramed || layout === "small" ? "" : "rounded-sheet border border-line1";
  return (
    <div className={`h-full ${isFramed || layout === "small" ? "" : "p-2"}`}>
      <div className={`flex h-full overflow-hidden bg-bg1 ${sheet}`}>
        <Body folder={folder} />
      </div>
    </div>
  );
}
