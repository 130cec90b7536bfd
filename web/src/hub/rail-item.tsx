import { ArrowDown, ArrowUp, Ellipsis, Pencil, Pin, PinOff, RotateCw, Shield, Square, Trash2, X } from "lucide-react";
import { type PointerEvent, useRef } from "react";
import { IconButton } from "@/components/icon-button";
import { Kbd } from "@/components/kbd";
import { Menu, MenuItem, MenuSeparator } from "@/components/menu";
import { Tooltip } from "@/components/tooltip";
import type { Workspace } from "@/generated/hub";
import { NameField } from "@/hub/name-field";
import { type ProjectFact, isAlive } from "@/hub/project-state";
import { ProjectTile } from "@/hub/project-tile";
import {
  endTour,
  moveProject,
  pinProject,
  removeProject,
  renameProject,
  restartProject,
  showProject,
  startSafely,
  stopProject,
} from "@/hub/shell-actions";
import { shownKeys } from "@/lib/shortcuts";

export interface RailItemProps {
  workspace: Workspace;
  fact: ProjectFact;
  /** How many things wait for the person there. */
  waiting: number;
  selected: boolean;
  /** Its place in the rail, from 1; the first nine have a key. */
  place: number;
  inBrowser: boolean;
}

const TONES = { plain: "text-fg3", ember: "text-ember", bad: "text-bad" };

/** The mark is cut out of its tile in the colour around it, which changes under the pointer. */
function lookOf(selected: boolean): string {
  return selected
    ? "border-control-line bg-(--around) shadow-control [--around:var(--color-control)]"
    : "border-transparent bg-(--around) [--around:var(--color-bg0)] hover:[--around:color-mix(in_oklab,var(--color-fg1)_4%,var(--color-bg0))]";
}

function keysOf(place: number, inBrowser: boolean): string | undefined {
  return place <= 9 ? shownKeys(`project.${place}` as "project.1", inBrowser) : undefined;
}

interface ProjectMenuProps {
  workspace: Workspace;
  place: number;
  last: number;
  onRename: () => void;
}

function ProjectMenu({ workspace, place, last, onRename }: ProjectMenuProps) {
  const renameChosen = useRef(false);
  return (
    <Menu
      align="end"
      label={`${workspace.name}: what to do with it`}
      onCloseAutoFocus={(event) => {
        if (renameChosen.current) {
          renameChosen.current = false;
          event.preventDefault();
        }
      }}
      trigger={
        <IconButton
          icon={Ellipsis}
          label={`More for ${workspace.name}`}
          className="absolute end-1.5 top-2 bg-bg3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100"
        />
      }
    >
      <MenuItem
        icon={Pencil}
        label="Rename"
        keys="F2"
        onSelect={() => {
          renameChosen.current = true;
          onRename();
        }}
      />
      <MenuItem
        icon={workspace.pinned ? PinOff : Pin}
        label={workspace.pinned ? "Do not keep at the top" : "Keep at the top"}
        onSelect={() => void pinProject(workspace.id, !workspace.pinned)}
      />
      {place === 1 ? null : (
        <MenuItem icon={ArrowUp} label="Move up" keys="Alt ↑" onSelect={() => void moveProject(workspace.id, place - 2)} />
      )}
      {place === last ? null : (
        <MenuItem icon={ArrowDown} label="Move down" keys="Alt ↓" onSelect={() => void moveProject(workspace.id, place)} />
      )}
      <MenuSeparator />
      {isAlive(workspace) ? (
        <>
          <MenuItem icon={RotateCw} label="Restart its daemon" onSelect={() => void restartProject(workspace.id)} />
          <MenuItem
            icon={Shield}
            label="Restart it safely"
            description="Without the project's instructions and settings."
            onSelect={() => void startSafely(workspace.id)}
          />
          <MenuItem icon={Square} label="Stop its daemon" onSelect={() => void stopProject(workspace.id)} />
          <MenuSeparator />
        </>
      ) : null}
      {workspace.sample ? (
        <MenuItem
          icon={Trash2}
          danger
          label="Remove the tour"
          description="Its folder and its sessions are deleted."
          onSelect={() => void endTour(workspace)}
        />
      ) : (
        <MenuItem
          icon={X}
          label="Take off the list"
          description="The folder and its sessions are kept."
          onSelect={() => void removeProject(workspace)}
        />
      )}
    </Menu>
  );
}

/** What a pointer that rests on a project reads. */
function describe({ path, safe, outdated, problem }: Workspace): string {
  const said = [
    path,
    safe ? "Started safely: nothing that the project brings is used." : "",
    outdated === "" ? "" : `Its daemon is of version ${outdated}. A newer one follows once its runs have ended.`,
    problem,
  ];
  return said.filter((line) => line !== "").join("\n");
}

interface RailRowProps extends RailItemProps {
  /** How many projects there are. */
  last: number;
  dragged: boolean;
  renaming: boolean;
  onRename: (id: string | null) => void;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
}

/** A project in the wide rail: tile, name, one line of fact, then a count or its key. */
export function RailItem(props: RailRowProps) {
  const { workspace, fact, waiting, selected, place, last, inBrowser, dragged, renaming, onRename, onPointerDown } = props;
  const keys = keysOf(place, inBrowser);
  return (
    <li className={`group relative ${dragged ? "opacity-60" : ""}`}>
      <button
        type="button"
        data-project={workspace.id}
        aria-current={selected ? "page" : undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown F2"
        title={describe(workspace)}
        onPointerDown={onPointerDown}
        onClick={() => {
          showProject(workspace.id);
        }}
        className={`flex w-full items-center gap-2.5 rounded-control border px-2 py-1 hover-fade ${lookOf(selected)}`}
      >
        <ProjectTile id={workspace.id} name={workspace.name} fact={fact} />
        <span className="min-w-0 grow">
          <span className="flex items-center gap-1 font-semibold">
            <span className="truncate">{renaming ? "\u00a0" : workspace.name}</span>
            {workspace.pinned ? <Pin size={11} strokeWidth={1.75} aria-label="kept at the top" className="shrink-0 text-fg3" /> : null}
          </span>
          <span className={`block truncate text-meta ${TONES[fact.tone]}`}>{fact.text}</span>
        </span>
        {waiting > 0 ? (
          <Count waiting={waiting} className="group-hover:invisible" />
        ) : keys === undefined ? null : (
          <Kbd keys={keys.split(" ").at(-1) ?? ""} className="group-hover:invisible" />
        )}
      </button>
      {renaming ? (
        <NameField
          name={workspace.name}
          onDone={(name) => {
            onRename(null);
            if (name !== null && name !== workspace.name) {
              void renameProject(workspace.id, name);
            }
          }}
        />
      ) : (
        <ProjectMenu workspace={workspace} place={place} last={last} onRename={() => { onRename(workspace.id); }} />
      )}
    </li>
  );
}

/** How many things wait for the person. */
export function Count({ waiting, className = "" }: { waiting: number; className?: string }) {
  return (
    <span
      className={`tabular flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-ember-solid px-1 text-label font-semibold text-on-ember ${className}`}
    >
      {waiting > 99 ? "99+" : waiting}
    </span>
  );
}

/** A project in the narrow rail: its tile alone; the rest is in the tooltip. */
export function RailTile({ workspace, fact, selected, place, inBrowser }: RailItemProps) {
  return (
    <li>
      <Tooltip label={`${workspace.name}: ${fact.text}`} keys={keysOf(place, inBrowser)}>
        <button
          type="button"
          aria-label={`${workspace.name}, ${fact.text}`}
          aria-current={selected ? "page" : undefined}
          onClick={() => {
            showProject(workspace.id);
          }}
          className={`flex size-11 items-center justify-center rounded-sheet border hover-fade ${lookOf(selected)}`}
        >
          <ProjectTile id={workspace.id} name={workspace.name} fact={fact} size="large" />
        </button>
      </Tooltip>
    </li>
  );
}
