import type { Envelope, Message } from "@/lib/protocol";

const SESSION = "ses_1";

type Payload<T extends Envelope["type"]> = Extract<Envelope, { type: T }>["payload"];

/** An event with its place, as the daemon sends it. */
export function event<T extends Envelope["type"]>(seq: number, type: T, payload: Payload<T>): Envelope {
  const at = `2026-03-01T10:00:${String(seq).padStart(2, "0")}Z`;
  const volatile = type === "part.delta" || type === "tool.progress" ? { volatile: true } : {};
  return { session_id: SESSION, seq, epoch: "epoch-a", at, type, payload, ...volatile } as Envelope;
}

export function userMessage(id: string, text: string, runId: string | null): Message {
  return {
    message_id: id,
    role: "user",
    created_at: "2026-03-01T10:00:00Z",
    run_id: runId,
    client_message_id: `client-${id}`,
    parts: [{ type: "text", part_id: `${id}-text`, text }],
    cut: false,
    reasoning: null,
  };
}

export function assistantMessage(id: string, runId: string): Message {
  return {
    message_id: id,
    role: "assistant",
    created_at: "2026-03-01T10:00:01Z",
    run_id: runId,
    client_message_id: null,
    parts: [],
    cut: false,
    reasoning: null,
  };
}

export function toolCall(callId: string): Payload<"part.appended">["part"] & { type: "tool_call" } {
  return {
    type: "tool_call",
    part_id: `${callId}-part`,
    call_id: callId,
    tool: "bash",
    arguments: { command: "ls" },
    state: "pending",
    arguments_error: "",
    raw_arguments: "",
    title: "ls",
    started_at: null,
    ended_at: null,
    result: null,
  };
}

/** A run up to its open answer: the person's message, the run, the empty answer `a`. */
export function openAnswer(): Envelope[] {
  return [
    event(1, "session.updated", { title: "", mode: "default", model: null, archived: false, pinned: false }),
    event(2, "message.appended", { message: userMessage("u", "Hello", "run_1") }),
    event(3, "run.started", { run_id: "run_1", message_id: "u", model: "m", mode: "default" }),
    event(4, "turn.started", { run_id: "run_1", turn: 1, message_id: "a" }),
    event(5, "message.appended", { message: assistantMessage("a", "run_1") }),
  ];
}
