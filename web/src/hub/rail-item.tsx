import { Pin } from "lucide-react";
import type { PointerEvent } from "react";
import { Kbd } from "@/components/kbd";
import { Tooltip } from "@/components/tooltip";
import type { Workspace } from "@/generated/hub";
import { useContextMenu } from "@/hooks/use-context-menu";
import { NameField } from "@/hub/name-field";
import { ProjectMenu } from "@/hub/project-menu";
import type { ProjectFact } from "@/hub/project-state";
import { ProjectTile } from "@/hub/project-tile";
import type { RailShape } from "@/hub/rail-shape";
import { renameProject, showProject } from "@/hub/shell-actions";
import { shownKeys } from "@/lib/shortcuts";

export interface RailItemProps {
  workspace: Workspace;
  fact: ProjectFact;
  /** How many things wait for the person there. */
  waiting: number;
  selected: boolean;
  /** Its place in the rail, from 1; the first nine have a key. */
  place: number;
  /** How many projects there are. */
  last: number;
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
  dragged: boolean;
  renaming: boolean;
  onRename: (id: string | null) => void;
  onPointerDown: (event: PointerEvent<HTMLElement>) => void;
}

/** A project in the wide rail: tile, name, one line of fact, then a count or its key. */
export function RailItem(props: RailRowProps) {
  const { workspace, fact, waiting, selected, place, last, inBrowser, dragged, renaming, onRename, onPointerDown } = props;
  const keys = keysOf(place, inBrowser);
  const context = useContextMenu();
  return (
    <li className={`group relative ${dragged ? "opacity-60" : ""}`} {...context.row}>
      <button
        type="button"
        data-project={workspace.id}
        aria-current={selected ? "page" : undefined}
        aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown F2 Shift+F10"
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
        <ProjectMenu
          context={context.menu}
          workspace={workspace}
          place={place}
          last={last}
          shape="wide"
          onRename={() => { onRename(workspace.id); }}
        />
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

interface RailTileProps extends RailItemProps {
  shape: Exclude<RailShape, "wide">;
  onRename: (id: string) => void;
}

/** A project in the narrow rail: its tile alone; the rest is in the tooltip and in its menu. */
export function RailTile({ workspace, fact, selected, place, last, inBrowser, shape, onRename }: RailTileProps) {
  const context = useContextMenu();
  return (
    <li className="relative" {...context.row}>
      <Tooltip label={`${workspace.name}: ${fact.text}`} keys={keysOf(place, inBrowser)}>
        <button
          type="button"
          data-project={workspace.id}
          aria-label={`${workspace.name}, ${fact.text}`}
          aria-current={selected ? "page" : undefined}
          aria-keyshortcuts={`${shape === "bottom" ? "Alt+ArrowLeft Alt+ArrowRight" : "Alt+ArrowUp Alt+ArrowDown"} F2 Shift+F10`}
          onClick={() => {
            showProject(workspace.id);
          }}
          className={`flex size-11 items-center justify-center rounded-sheet border hover-fade ${lookOf(selected)}`}
        >
          <ProjectTile id={workspace.id} name={workspace.name} fact={fact} size="large" />
        </button>
      </Tooltip>
      <ProjectMenu
        context={context.menu}
        workspace={workspace}
        place={place}
        last={last}
        shape={shape}
        onRename={() => { onRename(workspace.id); }}
      />
    </li>
  );
}
