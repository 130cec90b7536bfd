import { useState } from "react";
import { useEffect } from "react";
import type { VerdictExplained } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { Verdict } from "./verdict";

/** Long enough that nobody waits for it, short enough that it feels at once. */
const PAUSE_MS = 150;

const WORDS = { deny: "Denied", ask: "Asks", allow: "Allowed" };

function useVerdict(command: string) {
  const [answer, setAnswer] = useState<{ command: string; verdict: VerdictExplained | null; problem: string } | null>(null);
  useEffect(() => {
    if (command.trim() === "") {
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.post<VerdictExplained>("/api/permissions/explain", { command }, { signal: stop.signal }).then(
        (verdict) => { setAnswer({ command, verdict, problem: "" }); },
        (error: unknown) => {
          if (!stop.signal.aborted) {
            setAnswer({ command, verdict: null, problem: sentenceOf(error) });
          }
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [command]);
  return command.trim() === "" ? null : answer;
}

/** What would happen to a command in mode Ask first; nothing is run. */
export function TryCommand() {
  const [command, setCommand] = useState("");
  const answer = useVerdict(command);
  const verdict = answer?.verdict ?? null;
  return (
    <section aria-labelledby="try" className="rounded-card border border-line1 bg-bg2 px-4.5 py-4 shadow-control">
      <h2 id="try" className="text-ui font-semibold">
        Try a command <span className="ms-1 text-meta font-normal text-fg3">nothing is run</span>
      </h2>
      <div className="mt-2.5 flex items-center gap-2.5">
        <input
          aria-labelledby="try"
          placeholder="npm test && git push origin main"
          value={command}
          maxLength={10_000}
          spellCheck={false}
          autoComplete="off"
          dir="ltr"
          onChange={(event) => { setCommand(event.target.value); }}
          className="h-8 min-w-0 grow rounded-control border border-line3 bg-bg2 px-3 font-mono text-code"
        />
        {verdict === null ? null : <Verdict verdict={verdict.verdict} word={WORDS[verdict.verdict]} />}
      </div>
      <div role="status" className="mt-2.5 text-meta text-fg2 empty:hidden">
        {answer === null ? null : verdict === null ? answer.problem : <Explained verdict={verdict} />}
      </div>
    </section>
  );
}

function Explained({ verdict }: { verdict: VerdictExplained }) {
  return (
    <>
      <p className="text-pretty">
        {verdict.reason}
        {verdict.rule === null ? null : (
          <>
            {" "}
            <code dir="ltr" className="text-code text-fg1">
              {verdict.rule}
            </code>
            {verdict.scope === null ? null : <span className="text-fg3"> · {verdict.scope}</span>}
          </>
        )}
      </p>
      {verdict.commands.length < 2 ? null : (
        <p className="mt-1 text-fg3">
          Read as {verdict.commands.length} commands:{" "}
          {verdict.commands.map((words, place) => (
            <span key={place}>
              {place === 0 ? "" : ", "}
              <code dir="ltr" className="text-code text-fg2">
                {words.join(" ")}
              </code>
            </span>
          ))}
        </p>
      )}
    </>
  );
}
