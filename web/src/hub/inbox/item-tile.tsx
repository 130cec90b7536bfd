import type { InboxItem } from "@/generated/hub";
import { initialsOf, tileColours } from "@/hub/tile-colour";

/** The square of the project that an item belongs to. */
export function ItemTile({ item }: { item: Pick<InboxItem, "workspace_id" | "workspace_name"> }) {
  return (
    <span
      aria-hidden="true"
      className="flex size-7 small:hidden shrink-0 items-center justify-center rounded-control text-label font-semibold"
      style={tileColours(item.workspace_id, false)}
    >
      {initialsOf(item.workspace_name)}
    </span>
  );
}
