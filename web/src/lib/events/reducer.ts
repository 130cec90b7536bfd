/**
 * From events to a session's state, by the same rules as the daemon's fold: the same events give
 * the same state on both sides. Pure; a state that changed is a new object, what did not change
 * keeps its identity. Offsets are UTF-16 units, which is what `.length` counts here.
 */
import type { Envelope, Message, Part, SessionCounts, SessionState } from "@/lib/protocol";

export interface Applied {
  state: SessionState;
  /** Something between what we have and this event is missing: subscribe again. */
  gap: boolean;
}

/** The state of a session before its first event. */
export function emptyState(sessionId: string): SessionState {
  return {
    session_id: sessionId,
    title: "",
    mode: "default",
    model: null,
    archived: false,
    pinned: false,
    created_at: "",
    updated_at: "",
    seq: 0,
    messages: [],
    run: null,
    runs: [],
    requests: [],
    questions: [],
    notices: [],
    progress: {},
    usage: null,
    context_window: null,
    cost_usd: 0,
    spend_cap_usd: null,
    compactions: [],
    is_compacting: false,
    parent_id: null,
    todo: [],
  };
}

/** Fold one event in. */
export function apply(state: SessionState, envelope: Envelope): Applied {
  if (envelope.type === "part.delta" || envelope.type === "tool.progress") {
    return applyVolatile(state, envelope);
  }
  if (envelope.seq <= state.seq) {
    return { state, gap: false };
  }
  if (envelope.seq > state.seq + 1) {
    return { state, gap: true };
  }
  const next = applyDurable({ ...state, seq: envelope.seq }, envelope);
  return next === null ? { state, gap: true } : { state: next, gap: false };
}

type Volatile = Extract<Envelope, { type: "part.delta" | "tool.progress" }>;
type Durable = Exclude<Envelope, Volatile>;

function applyVolatile(state: SessionState, envelope: Volatile): Applied {
  if (envelope.seq > state.seq) {
    return { state, gap: true };
  }
  if (envelope.type === "tool.progress") {
    const { call_id, tail } = envelope.payload;
    const runs = findCall(state, call_id)?.state === "running";
    return { state: runs ? { ...state, progress: { ...state.progress, [call_id]: tail } } : state, gap: false };
  }
  return applyDelta(state, envelope.payload);
}

function applyDelta(
  state: SessionState,
  { message_id, part_id, kind, offset, text }: Extract<Volatile, { type: "part.delta" }>["payload"],
): Applied {
  const message = state.messages.findLast((one) => one.message_id === message_id);
  const part = message?.parts.find((one) => one.part_id === part_id);
  if (message === undefined || (part === undefined && offset > 0)) {
    return { state, gap: true };
  }
  const known = part === undefined ? "" : textOf(part);
  if (known.length < offset) {
    return { state, gap: true };
  }
  const fresh = text.slice(known.length - offset);
  if (part !== undefined && fresh === "") {
    return { state, gap: false };
  }
  const grown: Part = { type: kind, part_id, text: known + fresh };
  return { state: withMessage(state, message_id, (one) => withPart(one, grown)), gap: false };
}

/** Fold a durable event in; null when text before its piece is missing. */
function applyDurable(state: SessionState, envelope: Durable): SessionState | null {
  const { at } = envelope;
  switch (envelope.type) {
    case "session.updated": {
      const { title, mode, model, archived, pinned } = envelope.payload;
      const created_at = state.created_at || at;
      return { ...state, title, mode, model, archived, pinned, created_at, updated_at: state.updated_at || at };
    }
    case "session.spawned":
      return { ...state, parent_id: envelope.payload.parent_id };
    case "message.appended": {
      const { message } = envelope.payload;
      const updated_at = message.role === "user" ? at : state.updated_at;
      return { ...state, messages: [...state.messages, message], updated_at };
    }
    case "message.removed": {
      const { message_id } = envelope.payload;
      return {
        ...state,
        messages: state.messages.filter((one) => one.message_id !== message_id || !isQueued(one)),
      };
    }
    case "part.appended":
      return appendPart(state, envelope.payload);
    case "notice": {
      const { level, code, text } = envelope.payload;
      const after = state.messages.findLast((one) => !isQueued(one))?.message_id ?? null;
      const notice = { seq: envelope.seq, at, level, code, text, after_message_id: after };
      return { ...state, notices: [...state.notices, notice] };
    }
    case "compaction.started":
    case "compaction.ended":
    case "compaction.undone":
      return compact(state, envelope);
    case "todo.updated":
      return { ...state, todo: envelope.payload.steps };
    default:
      return applyToRun(state, envelope);
  }
}

type CompactionEnvelope = Extract<Durable, { type: `compaction.${string}` }>;

function compact(state: SessionState, envelope: CompactionEnvelope): SessionState {
  const next = { ...state, is_compacting: envelope.type === "compaction.started" };
  if (envelope.type === "compaction.undone") return { ...next, compactions: state.compactions.slice(0, -1) };
  if (envelope.type === "compaction.started") return next;
  const { until_message_id, summary } = envelope.payload;
  if (until_message_id === null) return next;
  return { ...next, compactions: [...state.compactions, { at: envelope.at, until_message_id, summary }] };
}

type RunEnvelope = Exclude<
  Durable,
  | { type: "session.updated" | "session.spawned" | "message.appended" | "message.removed" | "part.appended" | "notice" }
  | { type: "todo.updated" }
  | CompactionEnvelope
>;

function applyToRun(state: SessionState, envelope: RunEnvelope): SessionState {
  const { at } = envelope;
  switch (envelope.type) {
    case "run.started":
      return startRun(state, envelope.payload, at);
    case "run.ended": {
      const { run_id, outcome, refused, code, detail } = envelope.payload;
      if (state.run?.run_id !== run_id) {
        return { ...state, is_compacting: false };
      }
      const run = { ...state.run, ended_at: at, outcome, refused, code, detail };
      return { ...state, run, runs: [...state.runs, run], updated_at: at, is_compacting: false };
    }
    case "turn.started":
      return state.run === null ? state : { ...state, run: { ...state.run, turn: envelope.payload.turn } };
    case "turn.ended": {
      const { message_id, cut, reasoning } = envelope.payload;
      return withMessage(state, message_id, (message) => ({ ...message, cut, reasoning }));
    }
    case "tool.started":
      return withCall(state, envelope.payload.call_id, { state: "running", started_at: at });
    case "tool.ended": {
      const { call_id, result } = envelope.payload;
      const { [call_id]: _, ...progress } = state.progress;
      return withCall({ ...state, progress }, call_id, { state: envelope.payload.state, result, ended_at: at });
    }
    case "usage.updated":
    case "spend.raised":
      return spend(state, envelope);
    default:
      return applyToAsks(state, envelope);
  }
}

function spend(
  state: SessionState,
  envelope: Extract<Durable, { type: "usage.updated" | "spend.raised" }>,
): SessionState {
  const { run } = state;
  if (envelope.type === "spend.raised") {
    const { scope, cap_usd: spend_cap_usd } = envelope.payload;
    if (scope === "session") return { ...state, spend_cap_usd };
    return scope === "run" && run !== null ? { ...state, run: { ...run, spend_cap_usd } } : state;
  }
  const { run_id, usage, context_window, purpose } = envelope.payload;
  const cost = envelope.payload.cost_usd ?? 0;
  return {
    ...state,
    ...(purpose === "turn" ? { usage, context_window } : {}),
    cost_usd: state.cost_usd + cost,
    run: run?.run_id === run_id ? { ...run, cost_usd: run.cost_usd + cost } : run,
  };
}

type AskEnvelope = Extract<
  Durable,
  { type: "permission.requested" | "permission.resolved" | "question.asked" | "question.resolved" }
>;

function applyToAsks(state: SessionState, envelope: AskEnvelope): SessionState {
  switch (envelope.type) {
    case "permission.requested":
      return { ...state, requests: [...state.requests, envelope.payload.request], updated_at: envelope.at };
    case "permission.resolved": {
      const { request_id, by, decision } = envelope.payload;
      const refused = by === "headless" && decision === "deny" ? 1 : 0;
      const run = state.run === null ? null : { ...state.run, refused: state.run.refused + refused };
      return { ...state, run, requests: state.requests.filter((one) => one.id !== request_id) };
    }
    case "question.asked":
      return { ...state, questions: [...state.questions, envelope.payload.question], updated_at: envelope.at };
    case "question.resolved": {
      const { question_id } = envelope.payload;
      return { ...state, questions: state.questions.filter((one) => one.id !== question_id) };
    }
    default:
      // An event type of a newer daemon: counted, and ignored.
      return state;
  }
}

function startRun(
  state: SessionState,
  run: Extract<Envelope, { type: "run.started" }>["payload"],
  at: string,
): SessionState {
  const { run_id, message_id, model, mode } = run;
  const begun = {
    run_id,
    message_id,
    model,
    mode,
    started_at: at,
    turn: 0,
    ended_at: null,
    outcome: null,
    refused: 0,
    code: "",
    detail: "",
    cost_usd: 0,
    spend_cap_usd: null,
  };
  const waiting = state.messages.find((one) => one.message_id === message_id && isQueued(one));
  const messages =
    waiting === undefined
      ? state.messages
      : [...state.messages.filter((one) => one !== waiting), { ...waiting, run_id }];
  return { ...state, messages, run: begun, updated_at: at };
}

function appendPart(
  state: SessionState,
  { message_id, part, offset }: Extract<Envelope, { type: "part.appended" }>["payload"],
): SessionState | null {
  const message = state.messages.findLast((one) => one.message_id === message_id);
  if (message === undefined) {
    return state;
  }
  if (part.type === "tool_call" || part.type === "image") {
    return withMessage(state, message_id, (one) => withPart(one, part));
  }
  const known = message.parts.find((one) => one.part_id === part.part_id);
  const before = known === undefined ? "" : textOf(known);
  if (before.length < offset) {
    return null;
  }
  const grown: Part = { ...part, text: before.slice(0, offset) + part.text };
  return withMessage(state, message_id, (one) => withPart(one, grown));
}

/** Whether a message of the person waits for a run to take it. */
export function isQueued(message: Message): boolean {
  return message.role === "user" && message.run_id === null;
}

function textOf(part: Part): string {
  return part.type === "tool_call" || part.type === "image" ? "" : part.text;
}

function withMessage(state: SessionState, id: string, change: (message: Message) => Message): SessionState {
  const place = state.messages.findLastIndex((one) => one.message_id === id);
  const message = state.messages[place];
  return message === undefined ? state : { ...state, messages: state.messages.with(place, change(message)) };
}

function withPart(message: Message, part: Part): Message {
  const place = message.parts.findIndex((one) => one.part_id === part.part_id);
  const parts = place === -1 ? [...message.parts, part] : message.parts.with(place, part);
  return { ...message, parts };
}

type Call = Extract<Part, { type: "tool_call" }>;

function isCall(part: Part, callId: string): part is Call {
  return part.type === "tool_call" && part.call_id === callId;
}

function findCall(state: SessionState, callId: string): Call | undefined {
  for (let place = state.messages.length - 1; place >= 0; place -= 1) {
    const found = state.messages[place]?.parts.find((part): part is Call => isCall(part, callId));
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function withCall(state: SessionState, callId: string, change: Partial<Call>): SessionState {
  const call = findCall(state, callId);
  const owner = state.messages.findLast((one) => one.parts.some((part) => isCall(part, callId)));
  return call === undefined || owner === undefined
    ? state
    : withMessage(state, owner.message_id, (one) => withPart(one, { ...call, ...change }));
}

/** What the daemon's heartbeat says about its own fold, counted here. */
export function countsOf(state: SessionState): SessionCounts {
  const parts = state.messages.flatMap((message) => message.parts);
  const chars = parts.reduce((sum, part) => sum + textOf(part).length, 0);
  return { seq: state.seq, messages: state.messages.length, parts: parts.length, chars };
}
