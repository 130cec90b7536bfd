import { useEffect, useState } from "react";
import type { SearchHit, SearchList } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";

/** Long enough that a word is typed in one go, short enough that it feels at once. */
const PAUSE_MS = 150;
const SHORTEST = 2;
const MOST = 50;

export interface Search {
  /** null: nothing is searched for, or no answer has come yet. */
  hits: readonly SearchHit[] | null;
  problem: string;
  busy: boolean;
}

const NOTHING: Search = { hits: null, problem: "", busy: false };

/** Find the messages of all sessions that hold the words; the last answer stays until the next. */
export function useSearch(words: string): Search {
  const wanted = words.trim().slice(0, 400);
  const [answer, setAnswer] = useState<Search & { words: string }>({ ...NOTHING, words: "" });
  useEffect(() => {
    if (wanted.length < SHORTEST) {
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const query = new URLSearchParams({ q: wanted, limit: String(MOST) });
      api.get<SearchList>(`/api/search?${query}`, { signal: stop.signal }).then(
        ({ items }) => { setAnswer({ words: wanted, hits: items, problem: "", busy: false }); },
        (error: unknown) => {
          if (!stop.signal.aborted) {
            setAnswer({ words: wanted, hits: null, problem: sentenceOf(error), busy: false });
          }
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [wanted]);
  if (wanted.length < SHORTEST) {
    return NOTHING;
  }
  return answer.words === wanted ? answer : { ...answer, problem: "", busy: true };
}
