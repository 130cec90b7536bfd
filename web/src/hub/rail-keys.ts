/** Keys of the projects: arrows go from one to the next, with Alt they move it, F2 renames it. */
import type { KeyboardEvent } from "react";
import type { RailItemProps } from "@/hub/rail-item";
import { moveProject } from "@/hub/shell-actions";

const STEPS = {
  column: { ArrowUp: -1, ArrowDown: 1 },
  row: { ArrowLeft: -1, ArrowRight: 1 },
};

/** Give what a list of projects does on a key; it finds them by `data-project`. */
export function railKeys(items: readonly RailItemProps[], axis: keyof typeof STEPS, onRename: (id: string) => void) {
  return (event: KeyboardEvent<HTMLUListElement>) => {
    const id = (event.target as HTMLElement).dataset["project"];
    const place = items.findIndex(({ workspace }) => workspace.id === id);
    if (id === undefined || place === -1) {
      return;
    }
    const steps: Readonly<Record<string, number>> = STEPS[axis];
    const step = steps[event.key] ?? 0;
    if (step !== 0 && event.altKey) {
      event.preventDefault();
      void moveProject(id, place + step);
    } else if (step !== 0) {
      event.preventDefault();
      event.currentTarget.querySelectorAll<HTMLElement>("[data-project]")[place + step]?.focus();
    } else if (event.key === "F2") {
      event.preventDefault();
      onRename(id);
    }
  };
}
