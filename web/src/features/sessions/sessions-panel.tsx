import { Folder, ListFilter, SquarePen, X } from "lucide-react";
import { useMemo, useRef, useState } from "react";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuChoice, MenuChoices, MenuLabel } from "@/components/menu";
import { Skeleton } from "@/components/skeleton";
import { useNow } from "@/hooks/use-now";
import { useEvents } from "@/lib/events/store";
import { showSession, useFrontSession } from "@/lib/front-session";
import type { SessionSummary } from "@/lib/protocol";
import { shownKeys } from "@/lib/shortcuts";
import { changeSession } from "./change-session";
import { DeleteDialog } from "./delete-dialog";
import { groupRows } from "./groups";
import { SearchField } from "./search-field";
import { SearchHits } from "./search-hits";
import { SessionList } from "./session-list";
import { useSearch } from "./use-search";

interface SessionsPanelProps {
  /** The project's folder, at the foot; "" while it is not known. */
  folder: string;
  inBrowser: boolean;
  /** A session was chosen: a drawer closes. */
  onChosen: () => void;
  /** Closes the drawer that the panel lies in; null when it stands beside. */
  onClose: (() => void) | null;
}

/** All sessions of the project. */
export function SessionsPanel({ folder, inBrowser, onChosen, onClose }: SessionsPanelProps) {
  const rows = useEvents((events) => events.rows);
  const frontId = useFrontSession((front) => front.id);
  const now = useNow();
  const [words, setWords] = useState("");
  const [archived, setArchived] = useState(false);
  const search = useSearch(words);
  const nav = useRef<HTMLElement>(null);
  const [removing, setRemoving] = useState<SessionSummary | null>(null);
  const groups = useMemo(
    () => groupRows(Object.values(rows ?? {}), { archived, words }, now),
    [rows, archived, words, now],
  );
  const actions = useMemo(
    () => ({
      open: (id: string) => {
        showSession(id);
        onChosen();
      },
      patch: (id: string, change: Parameters<typeof changeSession>[1]) => void changeSession(id, change),
      remove: setRemoving,
    }),
    [onChosen],
  );
  return (
    <nav ref={nav} data-region="sessions" aria-label="Sessions" className="flex h-full min-h-0 flex-col bg-side">
      <header className="flex h-13 shrink-0 items-center gap-1 ps-4 pe-2.5">
        <h2 className="grow text-read font-semibold">{archived ? "Archive" : "Sessions"}</h2>
        <Menu
          align="end"
          trigger={<IconButton icon={ListFilter} label="Which sessions" pressed={archived ? true : undefined} />}
        >
          <MenuLabel>Show</MenuLabel>
          <MenuChoices
            value={archived ? "archived" : "current"}
            onChange={(value) => { setArchived(value === "archived"); }}
          >
            <MenuChoice value="current" label="Sessions" />
            <MenuChoice value="archived" label="Archived sessions" />
          </MenuChoices>
        </Menu>
        <IconButton
          icon={SquarePen}
          label="New session"
          keys={shownKeys("session.new", inBrowser)}
          onClick={() => {
            showSession(null);
            onChosen();
          }}
        />
        {onClose === null ? null : <IconButton icon={X} label="Back to the session" keys="Esc" onClick={onClose} />}
      </header>
      <SearchField
        value={words}
        onChange={setWords}
        onLeave={(open) => {
          const first = nav.current?.querySelector<HTMLElement>("[data-session], [data-hit]");
          if (open) {
            first?.click();
          } else {
            first?.focus();
          }
        }}
      />
      {rows === null ? (
        <ListSkeleton />
      ) : words.trim() === "" && groups.length === 0 ? (
        <p className="grow px-4 pt-5 text-ui text-fg3">{archived ? "Nothing is archived." : "No session yet."}</p>
      ) : (
        <SessionList groups={groups} frontId={frontId} now={now} actions={actions}>
          {words.trim() === "" ? null : (
            <SearchHits
              search={search}
              now={now}
              alone={groups.length === 0}
              words={words}
              onOpen={({ session_id, message_id }) => {
                showSession(session_id, message_id);
                onChosen();
              }}
            />
          )}
        </SessionList>
      )}
      <footer className="flex h-9 shrink-0 items-center gap-2 border-t border-line1 px-4 text-meta text-fg3">
        <Folder size={14} strokeWidth={1.6} aria-hidden="true" className="shrink-0" />
        <bdi dir="ltr" title={folder} className="truncate">
          {folder}
        </bdi>
      </footer>
      <DeleteDialog
        row={removing}
        onClose={() => { setRemoving(null); }}
        onDeleted={(id) => {
          if (id === frontId) {
            showSession(null);
          }
        }}
      />
    </nav>
  );
}

function ListSkeleton() {
  return (
    <div className="flex grow flex-col gap-3.5 px-4 pt-6" aria-label="Sessions are read" role="status">
      <Skeleton className="h-3.5 w-44" />
      <Skeleton className="h-3.5 w-36" />
      <Skeleton className="h-3.5 w-40" />
    </div>
  );
}
