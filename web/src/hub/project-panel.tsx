import { Copy, FileText, FolderX, Play, RotateCw, Shield, ShieldCheck } from "lucide-react";
import { Fragment, type ReactNode } from "react";
import { Button } from "@/components/button";
import { Skeleton } from "@/components/skeleton";
import type { Workspace } from "@/generated/hub";
import { factOf } from "@/hub/project-state";
import { ProjectTile } from "@/hub/project-tile";
import { openFolder, openProject, removeProject, startSafely } from "@/hub/shell-actions";
import { isHeld } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { showToast } from "@/lib/toasts";

interface PanelProps {
  workspace: Workspace;
  title: string;
  children: ReactNode;
  actions: ReactNode;
  badge?: string;
  facts?: ReactNode;
}

function Panel({ workspace, title, children, actions, badge, facts }: PanelProps) {
  return (
    <section className="flex h-full flex-col overflow-y-auto">
      <header className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line1 px-5">
        <h1 className="truncate text-read font-semibold">{workspace.name}</h1>
        <span className="min-w-0 grow truncate font-mono text-meta text-fg3">{workspace.path}</span>
        {badge === undefined ? null : (
          <span className="rounded-chip bg-bad-soft px-2 py-0.5 text-meta font-semibold text-bad">{badge}</span>
        )}
      </header>
      <div className="mx-auto w-full max-w-190 px-6 pt-10 pb-12">
        <h2 className="heading text-h1 text-balance">{title}</h2>
        <div className="mt-2 text-compose text-pretty text-fg2">{children}</div>
        <div className="mt-5 flex flex-wrap gap-2">{actions}</div>
        {facts}
      </div>
    </section>
  );
}

function Fact({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <div className="flex gap-3.5 border-t border-line1 py-4">
      <span className="mt-0.5 shrink-0">{icon}</span>
      <div className="min-w-0 grow">
        <h3 className="font-semibold">{title}</h3>
        <div className="mt-0.5 text-ui text-fg2">{children}</div>
      </div>
    </div>
  );
}

/** A line of the daemon's log: JSON of our own shape as time and message, anything else as it is. */
function readLogLine(line: string): { at: string; text: string; grave: boolean } {
  try {
    const { at, level, message, error } = JSON.parse(line) as Record<string, unknown>;
    if (typeof message === "string") {
      const time = typeof at === "string" ? at.slice(11, 23) : "";
      const last = typeof error === "string" ? (error.trim().split("\n").at(-1) ?? "") : "";
      return { at: time, text: last === "" ? message : `${message}: ${last}`, grave: level === "error" || level === "critical" };
    }
  } catch {
    // A traceback or what a library printed.
  }
  return { at: "", text: line, grave: false };
}

function LogTail({ lines }: { lines: readonly string[] }) {
  return (
    <pre className="mt-2 max-h-90 overflow-auto rounded-well border border-line1 bg-well px-3.5 py-2.5 text-code whitespace-pre-wrap select-text">
      {lines.map(readLogLine).map(({ at, text, grave }, index) => (
        <Fragment key={index}>
          {at === "" ? null : <span className="text-fg3">{`${at}  `}</span>}
          <span className={grave ? "text-bad" : "text-fg1"}>{text}</span>
          {"\n"}
        </Fragment>
      ))}
    </pre>
  );
}

async function copyReport({ name, log_tail: lines }: Workspace, why: string): Promise<void> {
  try {
    await navigator.clipboard.writeText([`${name}: ${why}`, "", ...lines, ""].join("\n"));
    showToast("Copied");
  } catch {
    showToast("The clipboard is closed to this page. Select the log and copy it.", { tone: "bad" });
  }
}

function CrashPanel({ workspace, why }: { workspace: Workspace; why: string }) {
  return (
    <Panel
      workspace={workspace}
      badge="Crashed"
      title={`The daemon of ${workspace.name} is not running`}
      actions={
        <>
          <Button variant="primary" size="large" icon={RotateCw} onClick={() => void openProject(workspace.id)}>
            Start it again
          </Button>
          <Button size="large" icon={Shield} onClick={() => void startSafely(workspace.id)}>
            Start safely
          </Button>
          <Button variant="quiet" size="large" icon={Copy} onClick={() => void copyReport(workspace, why)}>
            Copy report
          </Button>
        </>
      }
      facts={
        <div className="mt-8">
          <Fact icon={<ShieldCheck size={17} strokeWidth={1.6} className="text-live" />} title="Your work is safe">
            What was acknowledged is on disk. A command that was cut off is marked in its session and does not run
            again by itself. Other projects go on; they have their own daemons. Started safely, it uses nothing that
            the project brings: no instructions, no settings.
          </Fact>
          {workspace.log_tail.length === 0 ? null : (
            <Fact icon={<FileText size={17} strokeWidth={1.6} className="text-bad" />} title="Last lines of the log">
              <LogTail lines={workspace.log_tail} />
            </Fact>
          )}
        </div>
      }
    >
      {why}
    </Panel>
  );
}

function MissingPanel({ workspace }: { workspace: Workspace }) {
  return (
    <Panel
      workspace={workspace}
      badge="Missing"
      title="The folder is not there"
      actions={
        <>
          <Button variant="primary" size="large" icon={RotateCw} onClick={() => void openProject(workspace.id)}>
            Look again
          </Button>
          <Button size="large" onClick={() => void openFolder()}>
            Open another folder
          </Button>
          <Button variant="quiet" size="large" icon={FolderX} onClick={() => void removeProject(workspace)}>
            Take off the list
          </Button>
        </>
      }
    >
      {workspace.problem} Its sessions are kept, and come back with the folder.
    </Panel>
  );
}

function RestingPanel({ workspace }: { workspace: Workspace }) {
  const title = workspace.state === "asleep" ? `${workspace.name} is asleep` : `${workspace.name} is not started`;
  return (
    <Panel
      workspace={workspace}
      title={title}
      actions={
        <Button variant="primary" size="large" icon={Play} onClick={() => void openProject(workspace.id)}>
          {workspace.state === "asleep" ? "Wake it" : "Start its daemon"}
        </Button>
      }
    >
      Nothing runs there now. Its sessions are on disk.
    </Panel>
  );
}

function HeldPanel({ workspace }: { workspace: Workspace }) {
  return (
    <Panel
      workspace={workspace}
      title="The page stopped answering and was restarted"
      actions={
        <Button variant="primary" size="large" icon={RotateCw} onClick={() => void openProject(workspace.id)}>
          Load it again
        </Button>
      }
    >
      {workspace.name} was shown at that moment, so its page is not loaded again by itself. Its sessions and runs go on
      in its daemon, and the other projects are as they were.
    </Panel>
  );
}

function StartingPanel({ workspace }: { workspace: Workspace }) {
  return (
    <section aria-busy="true" className="flex h-full flex-col px-7 pt-6 [--around:var(--color-bg1)]">
      <div className="flex items-center gap-3">
        <ProjectTile id={workspace.id} name={workspace.name} fact={factOf(workspace, undefined, true)} size="large" />
        <div>
          <h1 className="font-semibold">{workspace.name}</h1>
          <p role="status" className="text-meta text-fg2">
            Its daemon is starting
          </p>
        </div>
      </div>
      <div className="mt-8 flex max-w-180 flex-col gap-3">
        <Skeleton className="ms-auto h-10 w-2/5" />
        <Skeleton className="mt-3 h-3 w-11/12" />
        <Skeleton className="h-3 w-4/5" />
        <Skeleton className="h-3 w-2/5" />
      </div>
    </section>
  );
}

/** What stands in the sheet while a project has no page: why, what is safe, what to do. */
export function ProjectPanel({ workspace }: { workspace: Workspace }) {
  const opening = useShell((shell) => shell.opening[workspace.id] === true);
  const failure = useShell((shell) => shell.failures[workspace.id]);
  const held = useShell((shell) => isHeld(shell, workspace.id));
  if (opening || workspace.state === "starting") {
    return <StartingPanel workspace={workspace} />;
  }
  if (workspace.state === "missing") {
    return <MissingPanel workspace={workspace} />;
  }
  if (failure !== undefined || workspace.state === "crashed") {
    return <CrashPanel workspace={workspace} why={failure ?? workspace.problem} />;
  }
  if (held) {
    return <HeldPanel workspace={workspace} />;
  }
  return <RestingPanel workspace={workspace} />;
}
