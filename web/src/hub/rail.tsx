import { FolderPlus, Plus } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { Logo } from "@/components/logo";
import { factOf } from "@/hub/project-state";
import { RailItem, type RailItemProps, RailTile } from "@/hub/rail-item";
import { openFolder } from "@/hub/shell-actions";
import { workspacesOf } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";

export type RailShape = "wide" | "narrow" | "bottom";

function useItems(): RailItemProps[] {
  const shell = useShell();
  return workspacesOf(shell).map((workspace, index) => {
    const badge = shell.badges[workspace.id];
    return {
      workspace,
      fact: factOf(workspace, badge, shell.opening[workspace.id] === true),
      waiting: badge?.waiting ?? 0,
      selected: workspace.id === shell.selected,
      place: index + 1,
      inBrowser: shell.state?.window !== true,
    };
  });
}

function WideRail({ items }: { items: RailItemProps[] }) {
  return (
    <nav aria-label="Projects" className="flex w-56 shrink-0 flex-col px-2 pt-2">
      <div className="flex h-9 items-center gap-2.5 px-2 text-read font-semibold">
        <Logo size={20} /> Lararium
      </div>
      <div className="flex h-9 items-center justify-between ps-2">
        <h2 className="text-meta font-medium text-fg3">Projects</h2>
        <IconButton icon={Plus} label="Open a folder" onClick={() => void openFolder()} />
      </div>
      <ul className="flex min-h-0 grow flex-col gap-0.5 overflow-y-auto pb-2">
        {items.map((item) => (
          <RailItem key={item.workspace.id} {...item} />
        ))}
      </ul>
    </nav>
  );
}

function Tiles({ items, bottom }: { items: RailItemProps[]; bottom: boolean }) {
  const place = bottom ? "h-15 w-full flex-row px-2" : "w-15 flex-col py-2";
  const list = bottom ? "min-w-0 flex-row overflow-x-auto" : "min-h-0 flex-col overflow-y-auto";
  return (
    <nav aria-label="Projects" className={`flex shrink-0 items-center gap-1 ${place}`}>
      {bottom ? null : (
        <>
          <span className="flex h-9 shrink-0 items-center">
            <Logo size={20} />
          </span>
          <span aria-hidden="true" className="my-1 h-px w-6 shrink-0 bg-line2" />
        </>
      )}
      <ul className={`flex gap-1 ${list}`}>
        {items.map((item) => (
          <RailTile key={item.workspace.id} {...item} />
        ))}
      </ul>
      <IconButton icon={FolderPlus} label="Open a folder" className="size-9" onClick={() => void openFolder()} />
    </nav>
  );
}

/** The projects, in the person's own order; no state ever reorders them. */
export function Rail({ shape }: { shape: RailShape }) {
  const items = useItems();
  return shape === "wide" ? <WideRail items={items} /> : <Tiles items={items} bottom={shape === "bottom"} />;
}
