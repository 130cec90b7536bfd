import { X } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { Mark } from "@/components/mark";
import type { InboxItem } from "@/generated/hub";
import { openSession, showProject } from "@/hub/shell-actions";
import { shortTime } from "@/lib/relative-time";
import { durationWords, ENDED_MARKS, endedWords } from "./inbox-words";

interface EndedRowProps {
  item: InboxItem;
  now: number;
  tabStop: boolean;
  onDismiss: () => void;
}

/** Something that ended: the whole row leads there. */
export function EndedRow({ item, now, tabStop, onDismiss }: EndedRowProps) {
  const kind = item.kind as keyof typeof ENDED_MARKS;
  const open = () => {
    if (item.session_id === null) {
      showProject(item.workspace_id);
    } else {
      openSession(item.workspace_id, item.session_id);
    }
  };
  const text = item.title === "" ? item.detail : item.title;
  return (
    <li className="group relative border-t border-line1 first:border-t-0">
      <button
        type="button"
        data-inbox-item={item.id}
        tabIndex={tabStop ? 0 : -1}
        aria-label={endedWords(item)}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key === "Delete" || event.key === "Backspace") {
            event.preventDefault();
            onDismiss();
          }
        }}
        className="flex w-full items-center gap-3 px-4 py-2 -outline-offset-4 hover-fade group-hover:bg-bg3"
      >
        <Mark kind={ENDED_MARKS[kind]} />
        <span className="w-28 shrink-0 truncate font-semibold small:w-20">{item.workspace_name}</span>
        <span className="min-w-0 grow">
          <bdi className="block truncate text-fg2">{text}</bdi>
          {kind === "failed" && item.title !== "" ? <span className="block truncate text-meta text-bad">{item.detail}</span> : null}
        </span>
        <span className="tabular shrink-0 text-meta text-fg3 small:hidden">{durationWords(item.run_seconds)}</span>
        <span className="tabular w-11 shrink-0 text-end text-meta text-fg3 group-hover:invisible group-focus-within:invisible">
          {shortTime(item.at, now)}
        </span>
      </button>
      <IconButton
        icon={X}
        label={`Take “${text}” off the list`}
        keys="Delete"
        tabIndex={-1}
        onClick={onDismiss}
        className="absolute end-3 top-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100"
      />
    </li>
  );
}
