import { FolderPlus, Inbox, type LucideIcon, Plus, Search, Settings } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { Kbd } from "@/components/kbd";
import { Logo } from "@/components/logo";
import { Tooltip } from "@/components/tooltip";
import type { InboxItem } from "@/generated/hub";
import { askWords } from "@/hub/ask-words";
import { ProjectList } from "@/hub/project-list";
import { factOf, waitingIn } from "@/hub/project-state";
import { ProjectTiles } from "@/hub/project-tiles";
import { Count, type RailItemProps } from "@/hub/rail-item";
import type { RailShape } from "@/hub/rail-shape";
import { openFolder } from "@/hub/shell-actions";
import { workspacesOf } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { openPalette, showInbox, showSettings, useView } from "@/hub/view";
import { shownKeys } from "@/lib/shortcuts";

/** What waits longest in each project, in words. */
function askedIn(items: readonly InboxItem[]): Map<string, string> {
  const asked = new Map<string, string>();
  for (const item of items) {
    if (item.waiting && !asked.has(item.workspace_id)) {
      asked.set(item.workspace_id, askWords(item));
    }
  }
  return asked;
}

function useItems(): RailItemProps[] {
  const shell = useShell();
  const asked = askedIn(shell.state?.inbox ?? []);
  const inProject = useView(({ view }) => view.is === "project");
  return workspacesOf(shell).map((workspace, index, { length }) => {
    const badge = shell.badges[workspace.id];
    return {
      workspace,
      fact: factOf(workspace, badge, shell.opening[workspace.id] === true, asked.get(workspace.id)),
      waiting: waitingIn(workspace, badge),
      selected: inProject && workspace.id === shell.selected,
      place: index + 1,
      last: length,
      inBrowser: shell.state?.window !== true,
    };
  });
}

function useWaiting(): number {
  return useShell((shell) => (shell.state?.inbox ?? []).filter(({ waiting }) => waiting).length);
}

interface EntryProps {
  icon: LucideIcon;
  label: string;
  keys: string;
  current: boolean;
  waiting?: number;
  onClick: () => void;
}

const CURRENT = "border-control-line bg-control shadow-control";
const OTHER = "border-transparent hover:bg-[color-mix(in_oklab,var(--color-fg1)_6%,transparent)]";

/** A place of the shell itself, above the projects. */
function Entry({ icon: Icon, label, keys, current, waiting = 0, onClick }: EntryProps) {
  return (
    <button
      type="button"
      aria-current={current ? "page" : undefined}
      onClick={onClick}
      className={`flex h-8 w-full items-center gap-2.5 rounded-control border px-2 text-ui hover-fade ${current ? CURRENT : OTHER}`}
    >
      <span className="flex w-7 shrink-0 justify-center text-fg2">
        <Icon size={16} strokeWidth={1.6} aria-hidden="true" />
      </span>
      <span className="grow">{label}</span>
      {waiting > 0 ? <Count waiting={waiting} /> : <Kbd keys={keys} />}
    </button>
  );
}

/** The same without its words, where the rail is narrow. */
function EntryTile({ icon: Icon, label, keys, current, waiting = 0, onClick }: EntryProps) {
  const name = waiting > 0 ? `${label}, ${waiting} waiting` : label;
  return (
    <Tooltip label={name} keys={keys}>
      <button
        type="button"
        aria-label={name}
        aria-current={current ? "page" : undefined}
        onClick={onClick}
        className={`relative flex size-9 shrink-0 items-center justify-center rounded-control border text-fg2 hover-fade ${current ? CURRENT : OTHER}`}
      >
        <Icon size={17} strokeWidth={1.6} aria-hidden="true" />
        {waiting > 0 ? <Count waiting={waiting} className="absolute -end-1 -top-1" /> : null}
      </button>
    </Tooltip>
  );
}

function useEntries(): Record<"inbox" | "palette" | "settings", EntryProps> {
  const { view, palette } = useView();
  const waiting = useWaiting();
  return {
    inbox: {
      icon: Inbox,
      label: "Inbox",
      keys: shownKeys("inbox"),
      current: view.is === "inbox",
      waiting,
      onClick: showInbox,
    },
    palette: { icon: Search, label: "Go to…", keys: shownKeys("palette"), current: palette, onClick: openPalette },
    settings: {
      icon: Settings,
      label: "Settings",
      keys: shownKeys("settings"),
      current: view.is === "settings",
      onClick: () => { showSettings("appearance"); },
    },
  };
}

function WideRail({ items }: { items: RailItemProps[] }) {
  const entries = useEntries();
  return (
    <nav aria-label="Projects" className="flex w-56 shrink-0 flex-col px-2 pt-2">
      <div className="flex h-9 items-center gap-2.5 px-2 text-read font-semibold">
        <Logo size={20} /> Lararium
      </div>
      <div className="flex flex-col gap-0.5 py-1">
        <Entry {...entries.inbox} />
        <Entry {...entries.palette} />
      </div>
      <div className="flex h-9 items-center justify-between ps-2">
        <h2 className="text-meta font-medium text-fg3">Projects</h2>
        <IconButton icon={Plus} label="Open a folder" onClick={() => void openFolder()} />
      </div>
      <ProjectList items={items} />
      <footer className="flex h-11 shrink-0 items-center px-1">
        <IconButton {...footButton(entries.settings)} />
      </footer>
    </nav>
  );
}

function footButton({ icon, label, keys, current, onClick }: EntryProps) {
  return { icon, label, keys, onClick, "aria-current": current ? ("page" as const) : undefined, className: current ? CURRENT : "" };
}

function Tiles({ items, shape }: { items: RailItemProps[]; shape: Exclude<RailShape, "wide"> }) {
  const entries = useEntries();
  const bottom = shape === "bottom";
  const place = bottom ? "h-15 w-full flex-row px-2" : "w-15 flex-col py-2";
  return (
    <nav aria-label="Projects" className={`flex shrink-0 items-center gap-1 ${place}`}>
      {bottom ? (
        <EntryTile {...entries.inbox} />
      ) : (
        <>
          <span className="flex h-9 shrink-0 items-center">
            <Logo size={20} />
          </span>
          <EntryTile {...entries.inbox} />
          <EntryTile {...entries.palette} />
          <span aria-hidden="true" className="my-1 h-px w-6 shrink-0 bg-line2" />
        </>
      )}
      <ProjectTiles items={items} shape={shape} />
      <IconButton icon={FolderPlus} label="Open a folder" className="size-9" onClick={() => void openFolder()} />
      {bottom ? <EntryTile {...entries.palette} /> : <span className="grow" />}
      <EntryTile {...entries.settings} />
    </nav>
  );
}

/** The projects, in the person's own order; no state ever reorders them. */
export function Rail({ shape }: { shape: RailShape }) {
  const items = useItems();
  return shape === "wide" ? <WideRail items={items} /> : <Tiles items={items} shape={shape} />;
}
