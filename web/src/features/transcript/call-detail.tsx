import { Button } from "@/components/button";
import { DiffView } from "@/components/diff-view";
import type { ToolCallPart } from "@/lib/protocol";
import { useTranscriptActions } from "./actions";
import { FinishedOutput, LiveOutput } from "./terminal-output";

interface CallDetailProps {
  calls: ToolCallPart[];
  progress: string | undefined;
}

/** Whether there is anything below a call's row. */
export function hasDetail(calls: ToolCallPart[], progress: string | undefined): boolean {
  return progress !== undefined || calls.some((call) => call.result !== null && call.result.text !== "");
}

/** What a call did, below its row. */
export function CallDetail({ calls, progress }: CallDetailProps) {
  const [call] = calls;
  if (!call) return null;
  if (call.state === "running" && progress !== undefined) return <LiveOutput text={progress} />;
  return (
    <div className="flex flex-col gap-2">
      {calls.map((each) => (
        <OneCall key={each.part_id} call={each} named={calls.length > 1} />
      ))}
    </div>
  );
}

function OneCall({ call, named }: { call: ToolCallPart; named: boolean }) {
  const result = call.result;
  if (result === null) return null;
  if (call.state === "interrupted") return <Cause tone="ochre" call={call} text={result.text} />;
  if (result.diff && call.state === "completed") {
    return <DiffView unified={result.diff.unified} path={result.diff.path} />;
  }
  if (call.tool === "bash" && call.state !== "denied") {
    return (
      <>
        <WholeCommand call={call} />
        <FinishedOutput callId={call.call_id} text={result.text} isCut={result.metadata["truncated"] === true} />
      </>
    );
  }
  if (call.tool === "task" && typeof result.metadata["session_id"] === "string") {
    return <Subagent text={result.text} sessionId={result.metadata["session_id"]} />;
  }
  if (result.is_error) return <Cause tone={call.state === "denied" ? "quiet" : "bad"} call={call} text={result.text} />;
  return (
    <div>
      {named ? <p className="pb-1 font-mono text-code text-fg3">{call.title}</p> : null}
      <FinishedOutput callId={call.call_id} text={result.text} isCut={false} />
    </div>
  );
}

/** A subagent's last words, and the way to its session. */
function Subagent({ text, sessionId }: { text: string; sessionId: string }) {
  const { openSession } = useTranscriptActions();
  return (
    <div className="flex flex-col items-start gap-2">
      <p dir="auto" className="text-ui whitespace-pre-wrap text-fg2">{text}</p>
      <Button size="small" variant="quiet" onClick={() => { openSession(sessionId); }}>
        Open its session
      </Button>
    </div>
  );
}

/** A command of several lines, which its row cannot show. */
function WholeCommand({ call }: { call: ToolCallPart }) {
  const command = call.arguments["command"];
  if (typeof command !== "string" || command.trim() === call.title) return null;
  return (
    <pre dir="ltr" className="mb-1.5 font-mono text-code break-all whitespace-pre-wrap text-fg2">
      {command}
    </pre>
  );
}

const TONES = {
  bad: "border-bad-line bg-bad-soft text-fg1",
  ochre: "border-line1 bg-well text-fg2",
  quiet: "border-line1 bg-well text-fg2",
};

function Cause({ tone, call, text }: { tone: keyof typeof TONES; call: ToolCallPart; text: string }) {
  return (
    <div className={`rounded-well border px-3 py-2 text-ui break-words whitespace-pre-wrap ${TONES[tone]}`}>
      {text}
      {call.raw_arguments ? <pre className="mt-1 font-mono text-code break-all whitespace-pre-wrap">{call.raw_arguments}</pre> : null}
    </div>
  );
}
