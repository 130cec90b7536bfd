import { Archive, ArchiveRestore, Download, Ellipsis, FoldVertical, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useRef } from "react";
import { Menu, MenuItem, MenuSeparator } from "@/components/menu";
import type { ContextMenu } from "@/hooks/use-context-menu";
import { sentenceOf } from "@/lib/api-client";
import type { SessionSummary } from "@/lib/protocol";
import { compact } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";
import { exportSession } from "./export-session";
import { titleOf } from "./groups";
import type { RowActions } from "./row-actions";

interface RowMenuProps {
  row: SessionSummary;
  actions: RowActions;
  context: ContextMenu;
}

/** What can be done to a session of the list. */
export function RowMenu({ row, actions, context }: RowMenuProps) {
  const renaming = useRef(false);
  return (
    <Menu
      {...context}
      align="end"
      onCloseAutoFocus={(event) => {
        context.onCloseAutoFocus(event);
        if (renaming.current) {
          renaming.current = false;
          event.preventDefault();
          actions.rename(row.id);
        }
      }}
      trigger={
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Actions for ${titleOf(row)}`}
          className="absolute end-1.5 top-1 flex size-6 items-center justify-center rounded-chip text-fg2 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 hover:bg-bg3 hover:text-fg1 focus-visible:opacity-100 data-[state=open]:bg-bg3 data-[state=open]:opacity-100"
        >
          <Ellipsis size={15} aria-hidden="true" />
        </button>
      }
    >
      <MenuItem
        icon={Pencil}
        label="Rename"
        keys="F2"
        onSelect={() => {
          renaming.current = true;
        }}
      />
      <MenuItem
        icon={row.pinned ? PinOff : Pin}
        label={row.pinned ? "Unpin" : "Pin"}
        onSelect={() => { actions.patch(row.id, { pinned: !row.pinned }); }}
      />
      <MenuItem
        icon={row.archived ? ArchiveRestore : Archive}
        label={row.archived ? "Take out of the archive" : "Archive"}
        onSelect={() => { actions.patch(row.id, { archived: !row.archived }); }}
      />
      <MenuItem
        icon={FoldVertical}
        label="Summarise older part"
        disabled={row.activity !== "idle" || row.message_count < 4}
        onSelect={() => {
          compact(row.id).catch((error: unknown) => { showToast(sentenceOf(error), { tone: "bad" }); });
        }}
      />
      <MenuItem icon={Download} label="Export" onSelect={() => void exportSession(row)} />
      <MenuSeparator />
      <MenuItem icon={Trash2} label="Delete…" keys="Del" danger onSelect={() => { actions.remove(row); }} />
    </Menu>
  );
}
