import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, TriangleAlert } from "lucide-react";
import { useState } from "react";
import { SettingsCard } from "@/components/settings-frame";
import { Skeleton } from "@/components/skeleton";
import type { InstructionsView, LoadedInstructions } from "@/generated/daemon";
import { sentenceOf } from "@/lib/api-client";
import { instructionsQuery } from "@/lib/trust";

/** The files whose text the next run is told, in the order in which it is told. */
export function InstructionsChain({ trusted }: { trusted: boolean }) {
  const { data, error } = useQuery(instructionsQuery);
  return (
    <section aria-labelledby="chain">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 id="chain" className="grow text-ui font-semibold">
          Instructions of the next run
        </h2>
        <p className="text-meta text-fg3">Later ones are nearer and win.</p>
      </header>
      <SettingsCard>
        {data === undefined ? (
          error === null ? (
            <Skeleton className="m-4.5 h-4 w-60" />
          ) : (
            <p role="alert" className="px-4.5 py-4 text-ui text-bad">
              {sentenceOf(error)}
            </p>
          )
        ) : (
          <Chain view={data} trusted={trusted} />
        )}
      </SettingsCard>
    </section>
  );
}

function Chain({ view, trusted }: { view: InstructionsView; trusted: boolean }) {
  return (
    <>
      {view.files.length === 0 ? (
        <p className="px-4.5 py-4 text-ui text-fg2">
          None. {trusted ? "Neither you nor this folder have any." : "You have none of your own, and those of a folder count once you trust it."}
        </p>
      ) : (
        <ol>
          {view.files.map((file, place) => (
            <FileLine key={file.path} file={file} place={place + 1} />
          ))}
        </ol>
      )}
      {view.notices.map((notice) => (
        <p key={notice} className="flex gap-2 border-t border-line1 px-4.5 py-2 text-meta text-ochre">
          <TriangleAlert size={14} strokeWidth={1.6} aria-hidden="true" className="mt-px shrink-0" />
          {notice}
        </p>
      ))}
      {view.text === "" ? null : <WholeText text={view.text} />}
    </>
  );
}

function FileLine({ file, place }: { file: LoadedInstructions; place: number }) {
  const from = file.imported_by === "" ? (file.origin === "person" ? "yours" : "of the folder") : `imported by ${file.imported_by}`;
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-x-3 border-t border-line1 px-4.5 py-1.5 first:border-t-0">
      <span className="tabular w-4 shrink-0 text-meta text-fg3">{place}</span>
      <code dir="ltr" className="min-w-0 grow basis-48 text-code break-all">
        {file.path}
      </code>
      <span className="text-meta text-fg3">{from}</span>
      <span className="tabular text-meta text-fg3">{file.characters.toLocaleString("en")} characters</span>
      {file.truncated ? <span className="rounded-chip bg-bg3 px-1.5 text-meta text-ochre">cut</span> : null}
    </li>
  );
}

function WholeText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="border-t border-line1 px-4.5 py-2">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => { setOpen(!open); }}
        className="flex items-center gap-1.5 rounded-chip text-ui text-fg2 hover-fade hover:text-fg1"
      >
        Exactly what the model is told
        <Chevron size={14} strokeWidth={1.6} aria-hidden="true" />
      </button>
      {open ? (
        <pre
          dir="auto"
          tabIndex={0}
          aria-label="What the model is told"
          className="mt-2 max-h-96 overflow-auto rounded-well border border-line1 bg-well px-3 py-2 font-mono text-code break-words whitespace-pre-wrap"
        >
          {text}
        </pre>
      ) : null}
    </div>
  );
}
