import { Mark } from "@/components/mark";
import type { ProjectFact } from "@/hub/project-state";
import { initialsOf, tileColours } from "@/hub/tile-colour";

interface ProjectTileProps {
  id: string;
  name: string;
  fact: ProjectFact;
  size?: "medium" | "large";
}

const SIZES = { medium: "size-7 text-label", large: "size-8 text-meta" };

/** A project's square: initials in its own colour, and the mark of its state on the corner. */
export function ProjectTile({ id, name, fact, size = "medium" }: ProjectTileProps) {
  return (
    <span
      aria-hidden="true"
      className={`relative flex shrink-0 items-center justify-center rounded-control font-semibold ${SIZES[size]}`}
      style={tileColours(id, fact.mark === "asleep")}
    >
      {initialsOf(name)}
      <span className="absolute -right-1.5 -bottom-1.5 flex rounded-full bg-(--around) p-0.5">
        <Mark kind={fact.mark} className="size-3" />
      </span>
    </span>
  );
}
