import { TriangleAlert, Unplug } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { LiveRegions } from "@/app/live-regions";
import { Banner } from "@/components/banner";
import { Toaster } from "@/components/toaster";
import { AddProjectDialog } from "@/hub/add-project-dialog";
import { FirstRun } from "@/hub/first-run";
import { FrameStack } from "@/hub/frame-stack";
import { Connecting, SignedOut, Unreachable } from "@/hub/gate";
import { InboxPage } from "@/hub/inbox/inbox-page";
import { LinkDialog } from "@/hub/link-dialog";
import { Palette } from "@/hub/palette/palette";
import { ProjectPanel } from "@/hub/project-panel";
import { Rail } from "@/hub/rail";
import type { RailShape } from "@/hub/rail-shape";
import { SettingsPage } from "@/hub/settings/settings-page";
import { useAppearance } from "@/hub/settings/shell-settings";
import { openProject } from "@/hub/shell-actions";
import { findWorkspace, isHeld, workspacesOf } from "@/hub/shell-model";
import { followShell } from "@/hub/shell-socket";
import { changeShell, useShell } from "@/hub/shell-store";
import { useShellKeys } from "@/hub/use-shell-keys";
import { useAsksSpoken, useHubToasts, useShownAsked, useShownSaid } from "@/hub/use-shown";
import { useView } from "@/hub/view";
import { useAuth } from "@/lib/auth";
import { startFrame } from "@/lib/frame-state";

/** From this width on the rail shows names. */
const WIDE = 1100;
/** Below this it lies at the bottom. */
const NARROW = 860;

function useWindowWidth(): number {
  const [width, setWidth] = useState(window.innerWidth);
  useEffect(() => {
    const read = () => {
      setWidth(window.innerWidth);
    };
    window.addEventListener("resize", read);
    return () => {
      window.removeEventListener("resize", read);
    };
  }, []);
  return width;
}

function useRailShape(): RailShape {
  const width = useWindowWidth();
  const chosen = useShell((shell) => shell.wideRail);
  if (width < NARROW) {
    return "bottom";
  }
  return (chosen ?? width >= WIDE) ? "wide" : "narrow";
}

/**
 * Loads the selected project's page when it has none, and again when its daemon moved or was
 * started anew by the hub. One that froze the window is left for the person to load.
 */
function useSelectedPage(): void {
  const selected = useShell((shell) => shell.selected);
  const address = useShell((shell) => findWorkspace(shell, shell.selected)?.base_url ?? null);
  const last = useRef<string | null>(null);
  useEffect(() => {
    const shell = useShell.getState();
    const isNew = selected !== last.current || address !== null;
    last.current = selected;
    if (selected !== null && isNew && shell.frames[selected] === undefined && !isHeld(shell, selected)) {
      void openProject(selected);
    }
  }, [selected, address]);
}

function Notices() {
  const lost = useShell((shell) => shell.connection === "lost");
  const notices = useShell((shell) => shell.state?.notices);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const shown = (notices ?? []).filter((notice) => !hidden.includes(notice));
  return (
    <>
      {lost ? (
        <Banner icon={Unplug} assertive>
          Connection to Lararium lost. Your projects go on; this page comes back by itself.
        </Banner>
      ) : null}
      {shown.map((notice) => (
        <Banner
          key={notice}
          icon={TriangleAlert}
          tone="warning"
          action={{
            label: "Hide",
            onSelect: () => {
              setHidden([...hidden, notice]);
            },
          }}
        >
          {notice}
        </Banner>
      ))}
    </>
  );
}

function Sheet() {
  const workspace = useShell((shell) => findWorkspace(shell, shell.selected));
  const hasPage = useShell((shell) => shell.selected !== null && shell.frames[shell.selected] !== undefined);
  const view = useView((shown) => shown.view);
  return (
    <main className="relative min-h-0 grow overflow-hidden rounded-sheet border border-line1 bg-bg1">
      <FrameStack />
      {view.is === "inbox" ? (
        <InboxPage />
      ) : view.is === "settings" ? (
        <SettingsPage section={view.section} />
      ) : workspace === null || hasPage ? null : (
        <div className="absolute inset-0 bg-bg1">
          <ProjectPanel key={workspace.id} workspace={workspace} />
        </div>
      )}
    </main>
  );
}

function Shell() {
  const isEmpty = useShell((shell) => workspacesOf(shell).length === 0);
  const shape = useRailShape();
  useShellKeys();
  useShownAsked();
  useShownSaid();
  useHubToasts();
  useAsksSpoken();
  useSelectedPage();
  if (isEmpty) {
    return <FirstRun />;
  }
  const direction = shape === "bottom" ? "flex-col-reverse" : "flex-row";
  const inset = shape === "bottom" ? "px-1 pt-1" : "py-2 pe-2";
  return (
    <div className={`flex h-full ${direction}`}>
      <Rail shape={shape} />
      <div className={`flex min-w-0 grow flex-col gap-2 ${inset} ${shape === "bottom" ? "min-h-0" : ""}`}>
        <Notices />
        <Sheet />
      </div>
    </div>
  );
}

/** The outer frame: the projects, and the page of the one that is shown. */
export function App() {
  const { status, detail } = useAuth();
  const heard = useShell((shell) => shell.state !== null);
  useEffect(startFrame, []);
  useAppearance();
  useEffect(() => (status === "in" ? followShell() : undefined), [status]);
  useEffect(() => {
    if (status === "out") {
      changeShell((shell) => (shell.state === null ? shell : { ...shell, connection: "lost" }));
    }
  }, [status]);
  return (
    <>
      {heard ? <Shell /> : status === "out" ? <SignedOut detail={detail} /> : status === "unreachable" ? <Unreachable /> : <Connecting />}
      <AddProjectDialog />
      <Palette />
      <LinkDialog />
      <Toaster />
      <LiveRegions />
    </>
  );
}
