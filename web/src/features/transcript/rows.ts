/** A session's state as the rows of its transcript: a pure function of the state. */
import type { Message, NoticeState, Part, RunState, SessionState, TextPart, ThinkingPart, ToolCallPart } from "@/lib/protocol";

export interface UserRow {
  kind: "user";
  key: string;
  message: Message;
  queued: boolean;
}
export interface TextRow {
  kind: "text";
  key: string;
  part: TextPart;
  /** The text still grows: the caret stands after it. */
  live: boolean;
}
export interface ThinkingRow {
  kind: "thinking";
  key: string;
  part: ThinkingPart;
  live: boolean;
}
export interface CallsRow {
  kind: "calls";
  key: string;
  /** One call, or neighbouring finished reads as one row. */
  calls: ToolCallPart[];
  /** A call's row stands above or below: the spine goes on. */
  above: boolean;
  below: boolean;
  waiting: boolean;
}
export interface NoticeRow {
  kind: "notice";
  key: string;
  notice: NoticeState;
}
export interface FooterRow {
  kind: "footer";
  key: string;
  run: RunState;
}
/** All above is told to the model as a summary. */
export interface CompactionRow {
  kind: "compaction";
  key: string;
  summary: string;
  /** The one that holds now: it may be undone. */
  last: boolean;
}
/** The run goes on and nothing of its next step is to be seen yet. */
export interface WorkingRow {
  kind: "working";
  key: string;
}
export type Row = UserRow | TextRow | ThinkingRow | CallsRow | NoticeRow | FooterRow | CompactionRow | WorkingRow;

const READS = new Set(["read_file", "grep", "glob"]);

/**
 * Gives the rows, oldest first. Messages of a run stand together and its footer after them. Queued
 * messages stand on the composer while a run goes on; without one they wait for a free place here.
 */
export function transcriptRows(state: SessionState): Row[] {
  const running = state.run !== null && state.run.outcome === null ? state.run : null;
  const runs = running ? [...state.runs, running] : state.runs;
  const rowsOf = new Map<string, Row[]>(runs.map((run) => [run.run_id, []]));
  const queued: Row[] = [];
  const open = openPart(state, running);
  for (const message of state.messages) {
    const rows = message.run_id === null ? queued : rowsOf.get(message.run_id);
    rows?.push(...messageRows(message, state, open), ...noticesAfter(state, message.message_id));
    rows?.push(...compactionAfter(state, message.message_id));
  }
  const done = runs.flatMap((run): Row[] => {
    const rows = rowsOf.get(run.run_id) ?? [];
    return run === running
      ? [...rows, ...workingRow(rows)]
      : [...rows, { kind: "footer", key: `end-${run.run_id}`, run }];
  });
  return joinSpine([...done, ...(running === null ? queued : []), ...noticesAfter(state, null)]);
}

/** The part that still grows; none while the run waits for the person. */
function openPart(state: SessionState, running: RunState | null): Part | undefined {
  if (running === null || state.requests.length > 0 || state.questions.length > 0) return undefined;
  const last = state.messages.findLast((message) => message.role === "assistant");
  return last?.run_id === running.run_id ? last.parts.at(-1) : undefined;
}

function messageRows(message: Message, state: SessionState, open: Part | undefined): Row[] {
  if (message.role === "user") {
    return [{ kind: "user", key: message.message_id, message, queued: message.run_id === null }];
  }
  return message.parts.flatMap((part) => partRow(part, part === open, state));
}

function partRow(part: Part, live: boolean, state: SessionState): Row[] {
  switch (part.type) {
    case "text":
      return part.text.trim() ? [{ kind: "text", key: part.part_id, part, live }] : [];
    case "thinking":
      return [{ kind: "thinking", key: part.part_id, part, live }];
    case "image":
      // The person's messages alone hold any, and show them themselves.
      return [];
    case "tool_call": {
      const waiting =
        state.requests.some((request) => request.call_id === part.call_id) ||
        state.questions.some((question) => question.call_id === part.call_id);
      return [{ kind: "calls", key: part.part_id, calls: [part], above: false, below: false, waiting }];
    }
  }
}

function compactionAfter(state: SessionState, messageId: string): CompactionRow[] {
  return state.compactions.flatMap(({ until_message_id, summary }, index): CompactionRow[] =>
    until_message_id === messageId
      ? [{ kind: "compaction", key: `compaction-${index}`, summary, last: index === state.compactions.length - 1 }]
      : [],
  );
}

function noticesAfter(state: SessionState, messageId: string | null): NoticeRow[] {
  // Few sessions have any: most messages ask in vain.
  return state.notices.filter((notice) => notice.after_message_id === messageId).map(noticeRow);
}

const noticeRow = (notice: NoticeState): NoticeRow => ({ kind: "notice", key: `notice-${notice.seq}`, notice });

function workingRow(rows: Row[]): WorkingRow[] {
  const last = rows.at(-1);
  const silent =
    last === undefined ||
    last.kind === "user" ||
    (last.kind === "calls" && last.calls.every((call) => call.result !== null));
  return silent ? [{ kind: "working", key: "working" }] : [];
}

/** Merges neighbouring finished reads and says where the spine goes on. */
function joinSpine(rows: Row[]): Row[] {
  const joined: Row[] = [];
  for (const row of rows) {
    const before = joined.at(-1);
    if (row.kind === "calls" && before?.kind === "calls") {
      if (isFinishedRead(row) && isFinishedRead(before) && before.calls[0]?.tool === row.calls[0]?.tool) {
        joined[joined.length - 1] = { ...before, calls: [...before.calls, ...row.calls] };
        continue;
      }
      joined[joined.length - 1] = { ...before, below: true };
      joined.push({ ...row, above: true });
    } else {
      joined.push(row);
    }
  }
  return joined;
}

const isFinishedRead = (row: CallsRow) =>
  row.calls.every((call) => READS.has(call.tool) && call.state === "completed");

/** Give the place of the row that shows a message, or its first part; -1 when none does. */
export function placeOfMessage(rows: Row[], state: SessionState, messageId: string): number {
  const message = state.messages.find((each) => each.message_id === messageId);
  const keys = new Set([messageId, ...(message?.parts ?? []).map((part) => part.part_id)]);
  return rows.findIndex(
    (row) => keys.has(row.key) || (row.kind === "calls" && row.calls.some((call) => keys.has(call.part_id))),
  );
}
