import { type ReactNode, useEffect, useRef, useState } from "react";
import type { SessionSummary } from "@/lib/protocol";
import type { Group } from "./groups";
import { moveAmongHits, movedTo } from "./list-keys";
import type { RowActions } from "./row-actions";
import { SessionRow } from "./session-row";

interface SessionListProps {
  groups: readonly Group[];
  frontId: string | null;
  now: number;
  actions: Omit<RowActions, "rename">;
  /** What stands below the rows, in the same scroll. */
  children?: ReactNode;
}

/** The rows by group. Tab stops once; arrows move, Enter opens, F2 renames, Delete asks. */
export function SessionList({ groups, frontId, now, actions, children }: SessionListProps) {
  const list = useRef<HTMLDivElement>(null);
  const ids = groups.flatMap((group) => group.rows.map((row) => row.id));
  const [stop, setStop] = useState<string | null>(frontId);
  const [renaming, setRenaming] = useState<string | null>(null);
  const tabStop = [stop, frontId].find((id) => id !== null && ids.includes(id)) ?? ids[0] ?? null;

  const focusRow = (id: string) => {
    list.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(id)}"]`)?.focus();
  };
  const wasRenaming = useRef<string | null>(null);
  useEffect(() => {
    if (renaming === null && wasRenaming.current !== null) {
      focusRow(wasRenaming.current);
    }
    wasRenaming.current = renaming;
  }, [renaming]);

  const onKeyDown = (event: React.KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const on = target.dataset["session"];
    if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (list.current !== null && moveAmongHits(event.key, target, list.current)) {
      event.preventDefault();
      return;
    }
    if (on === undefined) {
      return;
    }
    if (event.key === "Delete") {
      const row = groups.flatMap((group) => group.rows).find(({ id }) => id === on);
      if (row !== undefined) {
        event.preventDefault();
        actions.remove(row);
      }
      return;
    }
    if (event.key === "F2") {
      event.preventDefault();
      setRenaming(on);
      return;
    }
    const next = movedTo(event.key, ids, on);
    if (next !== null) {
      event.preventDefault();
      setStop(next);
      focusRow(next);
    }
  };

  const rowActions: RowActions = { ...actions, rename: setRenaming };
  const rowOf = (row: SessionSummary, tall: boolean) => (
    <SessionRow
      key={row.id}
      row={row}
      now={now}
      tall={tall}
      current={row.id === frontId}
      tabStop={row.id === tabStop}
      renaming={row.id === renaming}
      actions={rowActions}
    />
  );
  return (
    <div ref={list} onKeyDown={onKeyDown} className="min-h-0 grow overflow-y-auto px-2 pb-3">
      {groups.map((group) => (
        <section key={group.name} aria-label={group.name} className="pt-4">
          <h3 className="px-2 pb-1 text-label font-medium text-fg3">{group.name}</h3>
          <ul className="flex flex-col">{group.rows.map((row) => rowOf(row, group.name === "Now"))}</ul>
        </section>
      ))}
      {children}
    </div>
  );
}
