import { Archive, ArchiveRestore, Download, Ellipsis, PanelLeft, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuSeparator } from "@/components/menu";
import { changeSession } from "@/features/sessions/change-session";
import { DeleteDialog } from "@/features/sessions/delete-dialog";
import { exportSession } from "@/features/sessions/export-session";
import { changesOf } from "@/lib/changes";
import { isComposing } from "@/lib/composing";
import { useEvents } from "@/lib/events/store";
import { showSession } from "@/lib/front-session";
import type { SessionState, SessionSummary } from "@/lib/protocol";

interface SessionHeaderProps {
  sessionId: string | null;
  state: SessionState | undefined;
  /** Opens the list of sessions; null when it stands beside. */
  onSessions: (() => void) | null;
}

/** The title of the session in front, what it changed, and what can be done to it. */
export function SessionHeader({ sessionId, state, onSessions }: SessionHeaderProps) {
  const [renaming, setRenaming] = useState(false);
  const row = useEvents((events) => (sessionId === null ? undefined : events.rows?.[sessionId]));
  const title = state?.title || row?.title || "New session";
  return (
    <header
      data-region="header"
      className="flex h-13 shrink-0 items-center gap-2 border-b border-line1 ps-5 pe-3 small:ps-3"
    >
      {onSessions === null ? null : <IconButton icon={PanelLeft} label="Sessions" onClick={onSessions} className="-ms-1.5" />}
      {renaming && sessionId !== null ? (
        <TitleField
          title={state?.title ?? ""}
          onDone={(next) => {
            setRenaming(false);
            if (next !== null && next !== state?.title) {
              void changeSession(sessionId, { title: next });
            }
          }}
        />
      ) : (
        <h1 dir="auto" className="min-w-0 truncate text-read font-semibold">
          {title}
        </h1>
      )}
      <span className="grow" />
      {state === undefined ? null : <Changes state={state} />}
      {sessionId === null || state === undefined ? null : (
        <SessionMenu sessionId={sessionId} state={state} title={title} row={row} onRename={() => { setRenaming(true); }} />
      )}
    </header>
  );
}

interface SessionMenuProps {
  sessionId: string;
  state: SessionState;
  title: string;
  row: SessionSummary | undefined;
  onRename: () => void;
}

/** What can be done to the session in front. */
function SessionMenu({ sessionId, state, title, row, onRename }: SessionMenuProps) {
  const [removing, setRemoving] = useState(false);
  const renameChosen = useRef(false);
  const change = (given: Parameters<typeof changeSession>[1]) => void changeSession(sessionId, given);
  return (
    <>
      <Menu
        align="end"
        trigger={<IconButton icon={Ellipsis} label="More for this session" />}
        onCloseAutoFocus={(event) => {
          if (renameChosen.current) {
            renameChosen.current = false;
            event.preventDefault();
          }
        }}
      >
        <MenuItem
          icon={Pencil}
          label="Rename"
          onSelect={() => {
            renameChosen.current = true;
            onRename();
          }}
        />
        <MenuItem
          icon={state.pinned ? PinOff : Pin}
          label={state.pinned ? "Unpin" : "Pin"}
          onSelect={() => { change({ pinned: !state.pinned }); }}
        />
        <MenuItem
          icon={state.archived ? ArchiveRestore : Archive}
          label={state.archived ? "Take out of the archive" : "Archive"}
          onSelect={() => { change({ archived: !state.archived }); }}
        />
        <MenuItem icon={Download} label="Export" onSelect={() => void exportSession({ id: sessionId, title })} />
        <MenuSeparator />
        <MenuItem icon={Trash2} label="Delete…" danger onSelect={() => { setRemoving(true); }} />
      </Menu>
      <DeleteDialog
        row={removing && row !== undefined ? row : null}
        onClose={() => { setRemoving(false); }}
        onDeleted={() => { showSession(null); }}
      />
    </>
  );
}

function Changes({ state }: { state: SessionState }) {
  const { files, added, removed } = changesOf(state.messages);
  if (files === 0) {
    return null;
  }
  return (
    <span className="tabular flex shrink-0 items-center gap-1.5 px-1 text-meta text-fg3">
      <span className="small:hidden">{files === 1 ? "1 file" : `${files} files`}</span>
      {added === 0 ? null : <span className="text-live">+{added}</span>}
      {removed === 0 ? null : <span className="text-bad">−{removed}</span>}
    </span>
  );
}

function TitleField({ title, onDone }: { title: string; onDone: (title: string | null) => void }) {
  const done = useRef(false);
  const finish = (value: string | null) => {
    if (!done.current) {
      done.current = true;
      onDone(value === null || value.trim() === "" ? null : value.trim());
    }
  };
  return (
    <input
      aria-label="Title of the session"
      defaultValue={title}
      maxLength={200}
      autoFocus
      onFocus={(event) => { event.target.select(); }}
      onBlur={(event) => { finish(event.target.value); }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !isComposing(event)) {
          finish(event.currentTarget.value);
        } else if (event.key === "Escape") {
          event.preventDefault();
          finish(null);
        }
      }}
      className="h-8 w-80 min-w-0 rounded-control border border-line3 bg-bg2 px-2 text-read font-semibold"
    />
  );
}
