import * as Radix from "@radix-ui/react-dialog";
import { Search } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Kbd } from "@/components/kbd";
import { Mark } from "@/components/mark";
import { useFocusBack } from "@/hooks/use-focus-back";
import { useListbox } from "@/hooks/use-listbox";
import { focusFrame } from "@/hub/frame-link";
import { askForSessions, usePageFacts } from "@/hub/page-facts";
import { factOf } from "@/hub/project-state";
import { openSession, showProject } from "@/hub/shell-actions";
import { findWorkspace, workspacesOf } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { closePalette, useView } from "@/hub/view";
import { shownKeys } from "@/lib/shortcuts";
import { ACTION_ICONS, actionItems } from "./palette-actions";
import {
  found,
  type PaletteGroup,
  type PaletteItem,
  pieces,
  projectItems,
  queryOf,
  sessionItems,
  waitingItems,
} from "./palette-items";

function useGroups(): PaletteGroup[] {
  const shell = useShell();
  const sessions = usePageFacts((facts) => facts.sessions);
  return useMemo(() => {
    const inBrowser = shell.state?.window !== true;
    const places = workspacesOf(shell).map((workspace, place) => ({
      workspace,
      mark: factOf(workspace, shell.badges[workspace.id], shell.opening[workspace.id] === true).mark,
      keys: place < 9 ? shownKeys(`project.${place + 1}` as "project.1", inBrowser) : undefined,
    }));
    const selected = findWorkspace(shell, shell.selected);
    return [
      {
        name: "Waiting for you",
        items: waitingItems(shell.state?.inbox ?? [], (item) => {
          if (item.session_id !== null) {
            openSession(item.workspace_id, item.session_id);
          }
        }),
      },
      { name: "Projects", items: projectItems(places, showProject) },
      {
        name: "Sessions",
        items: sessionItems(sessions, (id) => findWorkspace(shell, id)?.name, openSession),
      },
      { name: "Actions", items: actionItems(selected, selected !== null && shell.frames[selected.id] !== undefined, inBrowser) },
    ];
  }, [shell, sessions]);
}

/** Go anywhere by its name: what waits first, then projects, sessions and what can be done. */
export function Palette() {
  const open = useView(({ palette }) => palette);
  const { note, giveBack } = useFocusBack();
  return (
    <Radix.Root open={open} onOpenChange={(next) => !next && closePalette()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 animate-fade bg-scrim" />
        <div className="pointer-events-none fixed inset-0 z-40 flex justify-center px-4 pt-[12vh]">
          <Radix.Content
            aria-describedby={undefined}
            onOpenAutoFocus={note}
            onCloseAutoFocus={(event) => {
              if (!focusProject(event)) {
                giveBack(event);
              }
            }}
            className="pointer-events-auto flex max-h-[min(28rem,76vh)] w-full max-w-160 animate-rise flex-col self-start overflow-hidden rounded-dialog border border-line2 bg-bg2 shadow-2 outline-none"
          >
            <Radix.Title className="sr-only">Go to</Radix.Title>
            <Body />
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** A frame cannot take focus back by itself: its element is told to. False when none is shown. */
function focusProject(event: Event): boolean {
  const { selected, frames } = useShell.getState();
  if (useView.getState().view.is !== "project" || selected === null || frames[selected] === undefined) {
    return false;
  }
  event.preventDefault();
  focusFrame(selected);
  return true;
}

function Body() {
  const [text, setText] = useState("");
  const query = useMemo(() => queryOf(text), [text]);
  const all = useGroups();
  const groups = useMemo(() => found(all, query), [all, query]);
  const items = groups.flatMap((group) => group.items);
  const { field, list, option, active } = useListbox(
    items.map(({ id }) => id),
    (id) => {
      closePalette();
      items.find((item) => item.id === id)?.run();
    },
  );
  useEffect(askForSessions, []);
  const count = items.length === 1 ? "1 result" : `${items.length} results`;
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line1 px-4">
        <Search size={17} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg2" />
        <input
          {...field}
          value={text}
          maxLength={200}
          aria-label="Go to a project, a session or an action"
          placeholder="Go to…"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => { setText(event.target.value); }}
          className="h-12 min-w-0 grow bg-transparent text-read outline-none"
        />
        <Kbd keys="Esc" />
      </div>
      <div {...list} aria-label="Results" className="min-h-0 grow overflow-y-auto px-1.5 pb-1.5">
        {groups.map((group) => (
          <div key={group.name} role="group" aria-label={group.name}>
            <div aria-hidden="true" className="px-2.5 pt-2.5 pb-1 text-label font-medium text-fg3">
              {group.name}
            </div>
            {group.items.map((item) => (
              <Row key={item.id} item={item} words={query.words} active={item.id === active} option={option(item.id)} />
            ))}
          </div>
        ))}
        {items.length === 0 ? <p className="px-2.5 py-5 text-ui text-fg2">Nothing is called that.</p> : null}
      </div>
      <footer className="flex h-9 shrink-0 items-center gap-3.5 border-t border-line1 px-4 text-label whitespace-nowrap text-fg3">
        <span className="flex items-center gap-1">
          <Kbd keys="↑" />
          <Kbd keys="↓" /> choose
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys=">" /> actions
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys="@" /> projects
        </span>
        <span className="flex items-center gap-1">
          <Kbd keys="#" /> sessions
        </span>
        <span role="status" className="tabular grow text-end">
          {count}
        </span>
      </footer>
    </>
  );
}

interface RowProps {
  item: PaletteItem;
  words: readonly string[];
  active: boolean;
  option: ReturnType<ReturnType<typeof useListbox>["option"]>;
}

function Row({ item, words, active, option }: RowProps) {
  const Icon = ACTION_ICONS[item.id];
  return (
    <div {...option} className={`flex h-9 items-center gap-3 rounded-control px-2.5 text-ui ${active ? "bg-bg3" : ""}`}>
      {item.mark === undefined ? null : <Mark kind={item.mark} />}
      {Icon === undefined ? null : <Icon size={15} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg2" />}
      <bdi className="min-w-0 grow truncate">
        {pieces(item.label, words).map(({ text, hit }, place) => (hit ? <b key={place}>{text}</b> : text))}
      </bdi>
      {item.fact === "" ? null : (
        <span dir="ltr" className="max-w-1/2 shrink-0 truncate text-meta text-fg3">
          {item.fact}
        </span>
      )}
      {item.keys === undefined ? null : <Kbd keys={item.keys} />}
    </div>
  );
}
