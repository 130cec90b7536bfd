import { useEffect, useState } from "react";
import type { InboxDetail } from "@/generated/hub";
import { sayHub } from "@/hub/shell-actions";
import { lookAt } from "./inbox-actions";

interface Detail {
  detail: InboxDetail | null;
  problem: string;
  again: () => void;
}

/** The whole of what is asked; a daemon that does not answer is said and asked again by hand. */
export function useDetail(id: string): Detail {
  const [detail, setDetail] = useState<InboxDetail | null>(null);
  const [problem, setProblem] = useState("");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    lookAt(id, stop.signal).then(
      (found) => {
        setDetail(found);
        setProblem("");
      },
      (error: unknown) => {
        if (!stop.signal.aborted) {
          setProblem(sayHub(error));
        }
      },
    );
    return () => {
      stop.abort();
    };
  }, [id, tries]);
  return { detail, problem, again: () => { setTries(tries + 1); } };
}
