/** From one state of a session to the next: what is worth a word to someone who cannot see it. */
import type { TodoStep } from "@/generated/daemon";
import type { Message, SessionState, ToolCallPart } from "@/lib/protocol";

export interface Milestones {
  polite: string[];
  assertive: string[];
}

const ENDS: Record<string, string> = {
  completed: "Answer complete",
  interrupted: "Run stopped",
  budget: "Run stopped at its limit",
  refused_by_model: "The model refused",
  error: "Run failed",
};

function callsOf(messages: readonly Message[]): ToolCallPart[] {
  return messages.flatMap((message) => message.parts).filter((part) => part.type === "tool_call");
}

function endOf(call: ToolCallPart): string {
  const name = call.tool.replaceAll("_", " ");
  const summary = call.result?.summary ?? "";
  const words = call.state === "completed" ? "finished" : call.state;
  return [`${name} ${words}`, summary].filter(Boolean).join(", ");
}

function wordsOf(state: SessionState): number {
  const last = state.messages.findLast((message) => message.role === "assistant");
  const text = last?.parts.map((part) => (part.type === "text" ? part.text : "")).join(" ") ?? "";
  return text.split(/\s+/).filter(Boolean).length;
}

/** Where the agent is now in its steps; nothing when it is where it was. */
function stepOf(before: readonly TodoStep[], after: readonly TodoStep[]): string[] {
  const at = (steps: readonly TodoStep[]) => steps.findIndex(({ state }) => state === "in_progress");
  const [was, now] = [before[at(before)]?.text, after[at(after)]?.text];
  return now === undefined || now === was ? [] : [`Step ${at(after) + 1} of ${after.length}: ${now}`];
}

function runMilestones(before: SessionState, after: SessionState): string[] {
  const said: string[] = [];
  if (after.run !== null && before.run?.run_id !== after.run.run_id) {
    said.push("Run started");
  }
  if (before.messages !== after.messages) {
    const old = new Map(callsOf(before.messages).map((call) => [call.call_id, call]));
    const ended = callsOf(after.messages).filter(
      (call) => call.ended_at !== null && old.get(call.call_id)?.ended_at === null,
    );
    said.push(...ended.map(endOf));
  }
  said.push(...stepOf(before.todo, after.todo));
  if (after.run?.outcome != null && before.run?.outcome == null) {
    const words = after.run.outcome === "completed" ? `, ${wordsOf(after)} words` : "";
    said.push(`${ENDS[after.run.outcome] ?? "Run ended"}${words}`);
  }
  return said;
}

function fresh<T extends { id: string }>(before: readonly T[], after: readonly T[]): T[] {
  return after.filter(({ id }) => !before.some((one) => one.id === id));
}

/** Give what happened between two states of the same session. */
export function milestones(before: SessionState, after: SessionState): Milestones {
  const asks = fresh(before.requests, after.requests).map(({ title }) => title);
  const questions = fresh(before.questions, after.questions).map(({ items }) => `Question: ${items[0]?.text ?? ""}`);
  return {
    polite: runMilestones(before, after),
    assertive: [...asks, ...questions].map((text) => `${text} Control J to answer.`),
  };
}
