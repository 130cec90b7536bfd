import type { SearchHit } from "@/generated/daemon";
import { useEvents } from "@/lib/events/store";
import { shortTime } from "@/lib/relative-time";
import { titleOf } from "./groups";
import { snippetPieces } from "./snippet";
import type { Search } from "./use-search";

interface SearchHitsProps {
  search: Search;
  now: number;
  /** No title matched either. */
  alone: boolean;
  words: string;
  onOpen: (hit: SearchHit) => void;
}

/** Messages that hold the words, below the titles that do. */
export function SearchHits({ search, now, alone, words, onOpen }: SearchHitsProps) {
  const { hits, problem, busy } = search;
  return (
    <section aria-label="In the text of all sessions" aria-busy={busy} className="pt-4">
      <h3 className="px-2 pb-1 text-label font-medium text-fg3">In the text</h3>
      <p role="status" className={`px-2 text-meta ${problem === "" ? "text-fg3" : "text-bad"} empty:hidden`}>
        {statusOf(search, alone, words)}
      </p>
      <ul className="flex flex-col">
        {(hits ?? []).map((hit) => (
          <li key={`${hit.session_id} ${hit.message_id}`}>
            <Hit hit={hit} now={now} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function statusOf({ hits, problem, busy }: Search, alone: boolean, words: string): string {
  if (problem !== "") {
    return `The text was not searched: ${problem}`;
  }
  if (hits === null) {
    return busy ? "Searching…" : words.trim().length < 2 ? "Type at least two characters." : "";
  }
  if (hits.length > 0) {
    return "";
  }
  return alone ? `No title and no message holds “${words}”.` : "No message holds all the words.";
}

function Hit({ hit, now, onOpen }: { hit: SearchHit; now: number; onOpen: (hit: SearchHit) => void }) {
  const row = useEvents((events) => events.rows?.[hit.session_id]);
  return (
    <button
      type="button"
      data-hit
      tabIndex={-1}
      onClick={() => { onOpen(hit); }}
      className="flex w-full flex-col gap-0.5 rounded-control px-2 py-1.5 text-start hover-fade hover:bg-hover"
    >
      <span className="flex items-baseline gap-2 self-stretch">
        <bdi className="min-w-0 grow truncate text-ui text-fg2">{row === undefined ? "A session" : titleOf(row)}</bdi>
        <span className="tabular shrink-0 text-meta text-fg3">{shortTime(hit.at, now)}</span>
      </span>
      <bdi dir="auto" className="line-clamp-3 text-meta break-words text-fg3">
        {snippetPieces(hit.snippet).map(({ text, found }, place) =>
          found ? (
            <mark key={place} className="rounded-chip bg-info-soft font-medium text-fg1">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </bdi>
    </button>
  );
}
