import { useState } from "react";
import { RailTile, type RailItemProps } from "@/hub/rail-item";
import { railKeys } from "@/hub/rail-keys";
import type { RailShape } from "@/hub/rail-shape";
import { RenameDialog } from "@/hub/rename-dialog";

interface ProjectTilesProps {
  items: RailItemProps[];
  shape: Exclude<RailShape, "wide">;
}

/** The projects where there is no room for names: what the rows can do, the tiles can. */
export function ProjectTiles({ items, shape }: ProjectTilesProps) {
  const [renaming, setRenaming] = useState<string | null>(null);
  const renamed = items.find(({ workspace }) => workspace.id === renaming)?.workspace;
  const list = shape === "bottom" ? "min-w-0 flex-row overflow-x-auto" : "min-h-0 flex-col overflow-y-auto";
  return (
    <>
      <ul onKeyDown={railKeys(items, shape === "bottom" ? "row" : "column", setRenaming)} className={`flex gap-1 ${list}`}>
        {items.map((item) => (
          <RailTile key={item.workspace.id} {...item} shape={shape} onRename={setRenaming} />
        ))}
      </ul>
      {renamed === undefined ? null : <RenameDialog workspace={renamed} onClose={() => { setRenaming(null); }} />}
    </>
  );
}
