/** What a tool call's row says: a verb, a target, and facts at the right. Pure. */
import type { MarkKind } from "@/components/mark";
import type { ToolCallPart } from "@/lib/protocol";

export interface CallFacts {
  verb: string;
  target: string;
  facts: string[];
  added?: number;
  removed?: number;
}

const VERBS: Record<string, string> = {
  bash: "Bash",
  read_file: "Read",
  write_file: "Write",
  edit_file: "Edit",
  grep: "Search",
  glob: "Find",
  ask_user: "Ask",
  task: "Subagent",
  task_complete: "Done",
};

const STATE_MARKS: Record<ToolCallPart["state"], MarkKind> = {
  pending: "pending",
  running: "running",
  completed: "done",
  error: "error",
  denied: "denied",
  interrupted: "interrupted",
};

export function callMark(call: ToolCallPart, waiting: boolean): MarkKind {
  if (waiting) return "needs-you";
  return hasFailed(call) ? "error" : STATE_MARKS[call.state];
}

/** Whether it failed: also a command that ran to its end and said so by its exit code. */
export function hasFailed(call: ToolCallPart): boolean {
  const code = call.result?.metadata["exit_code"];
  return call.state === "error" || (call.state === "completed" && typeof code === "number" && code !== 0);
}

/** Words for the state where it is not plain success; the mark alone never says it. */
export function stateWords(call: ToolCallPart, waiting: boolean): string {
  if (waiting) return "waits for you";
  switch (call.state) {
    case "pending":
      return "next";
    case "denied":
      return call.result?.summary === "denied" ? "denied" : (call.result?.summary ?? "denied");
    case "interrupted":
      return "cut off, outcome unknown";
    case "error":
      return call.tool === "edit_file" || call.tool === "write_file" ? "not changed" : "";
    default:
      return "";
  }
}

/** Gives the facts of one call, or of neighbouring reads that share a row. */
export function callFacts(calls: ToolCallPart[]): CallFacts {
  const [call] = calls;
  if (!call) return { verb: "", target: "", facts: [] };
  const verb = VERBS[call.tool] ?? call.tool;
  if (calls.length > 1) {
    const facts = [call.tool === "read_file" ? `${calls.length} files` : `${calls.length} times`];
    return { verb, target: calls.map((each) => each.title).join(", "), facts };
  }
  const diff = call.result?.diff;
  return {
    verb,
    target: call.title,
    facts: [call.result?.summary ?? "", duration(call)].filter(Boolean),
    ...(diff ? { added: diff.added, removed: diff.removed } : {}),
  };
}

function duration(call: ToolCallPart): string {
  const seconds = call.result?.metadata["seconds"];
  if (call.tool !== "bash" || typeof seconds !== "number" || seconds < 0.05) return "";
  return formatSeconds(seconds);
}

/** "0.8 s", "12 s", "1 min 12 s". */
export function formatSeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const left = whole % 60;
  return `${Math.floor(whole / 60)} min${left === 0 ? "" : ` ${left} s`}`;
}

/** A call's name for a screen reader: "Bash, uv run pytest, failed, exit 1". */
export function callName(calls: ToolCallPart[], waiting: boolean): string {
  const [call] = calls;
  if (!call) return "";
  const { verb, target, facts, added, removed } = callFacts(calls);
  const changed = added === undefined ? [] : [`${added} added, ${removed ?? 0} removed`];
  const state = hasFailed(call) ? "failed" : call.state === "running" ? "running" : stateWords(call, waiting);
  return [verb, target, state, ...changed, ...facts].filter(Boolean).join(", ");
}
