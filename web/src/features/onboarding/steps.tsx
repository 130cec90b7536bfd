import { Check, ChevronRight } from "lucide-react";
import { Fragment } from "react";

interface StepsProps {
  /** The project's folder; "" while it is not known. */
  folder: string;
}

const STEPS = ["Folder", "Model", "First task"];
const HERE = 1;

/** Where the person is on the way to the first task. */
export function Steps({ folder }: StepsProps) {
  return (
    <ol aria-label="Steps" className="flex min-w-0 items-center gap-2.5 text-meta text-fg3">
      {STEPS.map((name, place) => (
        <Fragment key={name}>
          {place === 0 ? null : <ChevronRight size={13} aria-hidden="true" className="shrink-0" />}
          <li
            aria-current={place === HERE ? "step" : undefined}
            className={`flex items-center gap-1.5 whitespace-nowrap ${place === HERE ? "font-semibold text-fg1" : ""} ${place === 0 ? "min-w-0" : "shrink-0"}`}
          >
            {place < HERE ? <Check size={14} strokeWidth={2} aria-hidden="true" className="shrink-0" /> : null}
            {name}
            {place === 0 && folder !== "" ? (
              // Of a long path the end says which folder it is.
              <bdi dir="rtl" title={folder} className="min-w-0 truncate font-mono text-code">
                <bdi dir="ltr">{folder}</bdi>
              </bdi>
            ) : null}
          </li>
        </Fragment>
      ))}
    </ol>
  );
}
