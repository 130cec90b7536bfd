import { useState } from "react";
import { RailItem, type RailItemProps } from "@/hub/rail-item";
import { railKeys } from "@/hub/rail-keys";
import { movedTo } from "@/hub/rail-order";
import { moveProject } from "@/hub/shell-actions";
import { useRailDrag } from "@/hub/use-rail-drag";

/** Which place a list shows for a project while one is dragged over it. */
function shownPlace(items: readonly RailItemProps[], drag: { id: string; place: number } | null): RailItemProps[] {
  if (drag === null) {
    return [...items];
  }
  const order = movedTo(items.map(({ workspace }) => workspace), drag.id, drag.place);
  return order.flatMap(({ id }) => items.filter(({ workspace }) => workspace.id === id));
}

/** The rows: Alt and an arrow move one, F2 renames it, and so does the pointer. */
export function ProjectList({ items }: { items: RailItemProps[] }) {
  const [renaming, setRenaming] = useState<string | null>(null);
  const rail = useRailDrag((id, place) => void moveProject(id, place));
  const onKeyDown = railKeys(items, "column", setRenaming);
  return (
    <ul
      onKeyDown={onKeyDown}
      onPointerMove={rail.move}
      onPointerCancel={rail.cancel}
      onLostPointerCapture={rail.end}
      onPointerUp={rail.end}
      className="flex min-h-0 grow flex-col gap-0.5 overflow-y-auto pb-2"
    >
      {shownPlace(items, rail.drag).map((item) => (
        <RailItem
          key={item.workspace.id}
          {...item}
          dragged={rail.drag?.id === item.workspace.id}
          renaming={renaming === item.workspace.id}
          onRename={setRenaming}
          onPointerDown={rail.begin(item.workspace.id, item.place - 1)}
        />
      ))}
    </ul>
  );
}
