import { memo } from "react";
import { Mark } from "@/components/mark";
import { useContextMenu } from "@/hooks/use-context-menu";
import type { SessionSummary } from "@/lib/protocol";
import { shortTime } from "@/lib/relative-time";
import { stateOf, titleOf } from "./groups";
import { RenameField } from "./rename-field";
import type { RowActions } from "./row-actions";
import { RowMenu } from "./row-menu";
import { useUnread } from "./unread";

interface SessionRowProps {
  row: SessionSummary;
  now: number;
  /** Shows its second line. */
  tall: boolean;
  current: boolean;
  /** The one stop of the list for Tab. */
  tabStop: boolean;
  renaming: boolean;
  actions: RowActions;
}

/** A session in the list: mark, title, time, and under "Now" what it does. */
export const SessionRow = memo(function SessionRow(props: SessionRowProps) {
  const { row, now, tall, current, tabStop, renaming, actions } = props;
  const unread = useUnread((sessions) => sessions[row.id] === true);
  const { mark, words } = stateOf(row, unread);
  const context = useContextMenu();
  const strong = unread || row.activity !== "idle";
  return (
    <li className="group relative" {...context.row}>
      <button
        type="button"
        data-session={row.id}
        aria-current={current ? "true" : undefined}
        aria-label={`${titleOf(row)}, ${words}${tall && row.fact !== "" ? `, ${row.fact}` : ""}`}
        tabIndex={tabStop ? 0 : -1}
        onClick={() => { actions.open(row.id); }}
        className={`flex w-full gap-2.5 rounded-control border px-2 py-1.25 text-start hover-fade ${current ? "border-selected-line bg-selected shadow-control" : "border-transparent group-hover:bg-hover"}`}
      >
        <Mark kind={mark} className="mt-0.75" />
        <span className="min-w-0 grow">
          <span className="flex items-baseline gap-2">
            {renaming ? (
              <span className="grow">&nbsp;</span>
            ) : (
              <span className={`min-w-0 grow truncate text-ui ${strong ? "font-semibold text-fg1" : "text-fg2"}`}>
                {titleOf(row)}
              </span>
            )}
            <span className="tabular shrink-0 text-meta text-fg3 group-focus-within:opacity-0 group-hover:opacity-0">
              {shortTime(row.updated_at, now)}
            </span>
          </span>
          {tall && row.fact !== "" ? (
            <span className={`block truncate text-meta ${row.activity === "needs_you" ? "text-ember" : "text-fg3"}`}>
              {row.fact}
            </span>
          ) : null}
        </span>
      </button>
      {renaming ? (
        <RenameField
          title={row.title}
          onDone={(title) => {
            actions.rename(null);
            if (title !== null && title !== row.title) {
              actions.patch(row.id, { title });
            }
          }}
        />
      ) : (
        <RowMenu row={row} actions={actions} context={context.menu} />
      )}
    </li>
  );
});
