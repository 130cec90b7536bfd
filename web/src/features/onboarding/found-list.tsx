import { HardDrive, KeyRound, RefreshCw, ServerOff } from "lucide-react";
import { useId } from "react";
import { Skeleton } from "@/components/skeleton";
import type { FoundModels } from "@/generated/daemon";
import { ageOf } from "@/hooks/use-age";
import { useNow } from "@/hooks/use-now";
import { factsOf, placeOf } from "./offers";

interface FoundListProps {
  /** null while nothing was looked for yet. */
  offers: readonly FoundModels[] | null;
  /** Why looking failed; "" when it did not. */
  problem: string;
  /** When it was last looked, in milliseconds. */
  lookedAt: number;
  looking: boolean;
  chosen: string | null;
  onChoose: (id: string) => void;
  onLook: () => void;
}

/** What was found on this computer and in the environment, to choose from. */
export function FoundList({ offers, problem, lookedAt, looking, chosen, onChoose, onLook }: FoundListProps) {
  const now = useNow(5_000);
  const titleId = useId();
  return (
    <div role="radiogroup" aria-labelledby={titleId} className="min-w-0">
      <div className="mb-2 flex items-center gap-2">
        <h2 id={titleId} className="text-ui font-semibold">
          Found here
        </h2>
        <span className="grow text-meta text-fg3" role="status">
          {looking ? "looking" : offers === null ? "" : lookedWords(lookedAt, now)}
        </span>
        <button
          type="button"
          disabled={looking}
          onClick={onLook}
          className="flex items-center gap-2 rounded-chip px-1 text-meta text-fg2 hover:text-fg1 disabled:opacity-50"
        >
          <RefreshCw size={14} strokeWidth={1.6} aria-hidden="true" />
          Look again
        </button>
      </div>
      <div className="overflow-hidden rounded-card border border-line1 bg-bg2 shadow-control">
        {offers === null ? (
          <Looking failed={problem} />
        ) : offers.length === 0 ? (
          <p className="px-4.5 py-4 text-ui text-fg2">
            No model server answers on this computer, and no key is in the environment. Start Ollama or LM Studio and
            look again, or bring a key below.
          </p>
        ) : (
          offers.map((offer) => (
            <FoundRow key={offer.id} offer={offer} chosen={offer.id === chosen} onChoose={() => { onChoose(offer.id); }} />
          ))
        )}
      </div>
    </div>
  );
}

function lookedWords(lookedAt: number, now: number): string {
  const age = ageOf(new Date(lookedAt).toISOString(), now);
  return age === "now" ? "just now" : age;
}

function Looking({ failed }: { failed: string }) {
  if (failed !== "") {
    return (
      <p role="alert" className="px-4.5 py-4 text-ui text-bad">
        {failed}
      </p>
    );
  }
  return (
    <div className="flex h-18 items-center gap-3.5 px-4.5">
      <Skeleton className="size-9 rounded-control" />
      <span className="flex flex-col gap-2">
        <Skeleton className="h-3 w-32" />
        <Skeleton className="h-3 w-64" />
      </span>
    </div>
  );
}

interface FoundRowProps {
  offer: FoundModels;
  chosen: boolean;
  onChoose: () => void;
}

function FoundRow({ offer, chosen, onChoose }: FoundRowProps) {
  const Icon = offer.ready ? (offer.kind === "environment" ? KeyRound : HardDrive) : ServerOff;
  const quiet = offer.ready ? "" : "text-fg2";
  return (
    <label
      className={`relative flex min-h-18 items-center gap-3.5 border-t border-line1 px-4.5 py-3 first:border-t-0 has-focus-visible:outline-2 has-focus-visible:-outline-offset-4 has-focus-visible:outline-info ${chosen ? "first:rounded-t-card last:rounded-b-card ring-2 ring-fg1 ring-inset" : offer.ready ? "hover:bg-bg3" : ""}`}
    >
      <span className="flex size-9 shrink-0 items-center justify-center rounded-control bg-bg3 text-fg2">
        <Icon size={17} strokeWidth={1.6} aria-hidden="true" />
      </span>
      <span className="min-w-0 grow">
        <span className="flex flex-wrap items-baseline gap-x-2">
          <span className={`text-ui font-semibold ${quiet}`}>{offer.label}</span>
          <span className="font-mono text-code text-fg3">{placeOf(offer.base_url)}</span>
        </span>
        <span className="mt-0.5 block text-meta text-pretty text-fg2">
          <Facts offer={offer} />
        </span>
      </span>
      {offer.ready ? (
        <input
          type="radio"
          name="found"
          value={offer.id}
          checked={chosen}
          onChange={onChoose}
          className="size-4.5 shrink-0 appearance-none rounded-full border border-line3 outline-none checked:border-[5.5px] checked:border-ink"
        />
      ) : (
        <span className="shrink-0 text-meta text-fg3">not ready</span>
      )}
    </label>
  );
}

function Facts({ offer }: { offer: FoundModels }) {
  const facts = factsOf(offer);
  if (!offer.ready) {
    return facts;
  }
  if (offer.kind !== "environment") {
    return (
      <>
        <span className="font-mono text-code">{offer.model}</span> {facts}
      </>
    );
  }
  return (
    <>
      {offer.key_variable === "" ? null : <span className="font-mono text-code">{offer.key_variable}</span>}
      {offer.key_hint === "" ? null : (
        <>
          {" "}
          ends in <span className="font-mono text-code">{offer.key_hint.replace(/^…/, "")}</span>
        </>
      )}{" "}
      {facts === "" ? "" : `· ${facts}`}
    </>
  );
}
