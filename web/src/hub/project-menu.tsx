import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Ellipsis, Pencil, Pin, PinOff, RotateCw, Shield, Square, Trash2, X } from "lucide-react";
import { type ComponentProps, useRef } from "react";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuItem, MenuSeparator } from "@/components/menu";
import type { Workspace } from "@/generated/hub";
import type { ContextMenu } from "@/hooks/use-context-menu";
import { isAlive } from "@/hub/project-state";
import type { RailShape } from "@/hub/rail-shape";
import { endTour, moveProject, pinProject, removeProject, restartProject, startSafely, stopProject } from "@/hub/shell-actions";

interface ProjectMenuProps {
  workspace: Workspace;
  /** Its place among the projects, from 1. */
  place: number;
  /** How many projects there are. */
  last: number;
  shape: RailShape;
  context: ContextMenu;
  onRename: () => void;
}

/** How a menu lies beside its project, and which way the projects go there. */
const SHAPES = {
  wide: { align: "end", side: "bottom", back: ["Move up", ArrowUp, "Alt ↑"], on: ["Move down", ArrowDown, "Alt ↓"] },
  narrow: { align: "start", side: "right", back: ["Move up", ArrowUp, "Alt ↑"], on: ["Move down", ArrowDown, "Alt ↓"] },
  bottom: { align: "start", side: "top", back: ["Move left", ArrowLeft, "Alt ←"], on: ["Move right", ArrowRight, "Alt →"] },
} as const;

/** A tile has no room for a button: what opens the menu lies under it, for a screen reader to find. */
function Trigger({ name, shape, ...rest }: { name: string; shape: RailShape } & ComponentProps<"button">) {
  const label = `More for ${name}`;
  return shape === "wide" ? (
    <IconButton
      {...rest}
      icon={Ellipsis}
      label={label}
      className="absolute end-1.5 top-2 bg-bg3 opacity-0 group-hover:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100"
    />
  ) : (
    <button {...rest} type="button" tabIndex={-1} aria-label={label} className="pointer-events-none absolute inset-0 opacity-0" />
  );
}

/** What can be done to a project, wherever the rail shows it. */
export function ProjectMenu({ workspace, place, last, shape, context, onRename }: ProjectMenuProps) {
  const renameChosen = useRef(false);
  const { align, side, back, on } = SHAPES[shape];
  const [backLabel, backIcon, backKeys] = back;
  const [onLabel, onIcon, onKeys] = on;
  return (
    <Menu
      {...context}
      align={align}
      side={side}
      label={`${workspace.name}: what to do with it`}
      onCloseAutoFocus={(event) => {
        context.onCloseAutoFocus(event);
        if (renameChosen.current) {
          renameChosen.current = false;
          event.preventDefault();
          onRename();
        }
      }}
      trigger={<Trigger name={workspace.name} shape={shape} />}
    >
      <MenuItem
        icon={Pencil}
        label="Rename"
        keys="F2"
        onSelect={() => {
          renameChosen.current = true;
        }}
      />
      <MenuItem
        icon={workspace.pinned ? PinOff : Pin}
        label={workspace.pinned ? "Do not keep at the top" : "Keep at the top"}
        onSelect={() => void pinProject(workspace.id, !workspace.pinned)}
      />
      {place === 1 ? null : (
        <MenuItem icon={backIcon} label={backLabel} keys={backKeys} onSelect={() => void moveProject(workspace.id, place - 2)} />
      )}
      {place === last ? null : (
        <MenuItem icon={onIcon} label={onLabel} keys={onKeys} onSelect={() => void moveProject(workspace.id, place)} />
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
