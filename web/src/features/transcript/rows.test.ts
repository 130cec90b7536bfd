import { describe, expect, it } from "vitest";
import type { Message, Part, RunState, SessionState } from "@/lib/protocol";
import { placeOfMessage, transcriptRows } from "./rows";

const run = (id: string, outcome: RunState["outcome"]): RunState => ({
  run_id: id, message_id: `u-${id}`, model: "m", mode: "default", started_at: "2026-11-30T10:00:00Z", turn: 1,
  ended_at: outcome ? "2026-11-30T10:00:09Z" : null, outcome, refused: 0, code: "", detail: "",
  cost_usd: 0, spend_cap_usd: null,
});
const message = (id: string, role: Message["role"], runId: string | null, parts: Part[]): Message => ({
  message_id: id, role, run_id: runId, parts, created_at: "2026-11-30T10:00:00Z", client_message_id: null, cut: false, reasoning: null,
});
const text = (id: string, value: string): Part => ({ type: "text", part_id: id, text: value });
const call = (id: string, tool: string, state: "completed" | "pending" | "running"): Part => ({
  type: "tool_call", part_id: id, call_id: `c-${id}`, tool, arguments: {}, state, arguments_error: "", raw_arguments: "",
  title: id, started_at: null, ended_at: null,
  result: state === "completed"
    ? { text: "x", is_error: false, summary: "", metadata: {}, diff: null, attachments: [] } : null,
});
const session = (over: Partial<SessionState>): SessionState => ({
  session_id: "s", title: "", mode: "default", model: null, archived: false, pinned: false, created_at: "", updated_at: "",
  seq: 0, messages: [], run: null, runs: [], requests: [], questions: [], notices: [], progress: {}, usage: null,
  context_window: null, cost_usd: 0, spend_cap_usd: null, compactions: [], is_compacting: false, parent_id: null, todo: [], ...over,
});
const kinds = (state: SessionState) => transcriptRows(state).map((row) => row.kind);

describe("transcript rows", () => {
  it("leaves a queued message to the composer while a run goes on", () => {
    const state = session({
      run: run("1", null),
      messages: [
        message("u-1", "user", "1", [text("a", "do it")]),
        message("q", "user", null, [text("b", "and then")]),
        message("m", "assistant", "1", [text("c", "doing")]),
      ],
    });
    expect(kinds(state)).toEqual(["user", "text"]);
  });

  it("shows a queued message last while it waits for a free place", () => {
    const state = session({
      run: run("1", "completed"),
      runs: [run("1", "completed")],
      messages: [message("q", "user", null, [text("b", "and then")]), message("u-1", "user", "1", [text("a", "do it")])],
    });
    expect(kinds(state)).toEqual(["user", "footer", "user"]);
  });

  it("merges neighbouring finished reads of one kind and joins the spine", () => {
    const parts = [call("a", "read_file", "completed"), call("b", "read_file", "completed"), call("c", "bash", "running")];
    const state = session({ run: run("1", null), messages: [message("m", "assistant", "1", parts)] });
    const rows = transcriptRows(state);
    expect(rows).toMatchObject([
      { kind: "calls", calls: [{ title: "a" }, { title: "b" }], above: false, below: true },
      { kind: "calls", calls: [{ title: "c" }], above: true, below: false },
    ]);
  });

  it("says that it works while nothing of the next step is to be seen", () => {
    const state = session({
      run: run("1", null),
      messages: [message("u-1", "user", "1", [text("a", "go")]), message("m", "assistant", "1", [])],
    });
    expect(kinds(state)).toEqual(["user", "working"]);
  });

  it("ends a finished run with its footer", () => {
    const state = session({
      runs: [run("1", "completed")],
      run: run("1", "completed"),
      messages: [message("u-1", "user", "1", [text("a", "go")]), message("m", "assistant", "1", [text("b", "done")])],
    });
    expect(kinds(state)).toEqual(["user", "text", "footer"]);
  });
});

it("finds the row of a message, of its parts, and of a read that shares a row", () => {
  const parts = [call("a", "read_file", "completed"), call("b", "read_file", "completed"), text("t", "Read both.")];
  const state = session({
    run: run("1", null),
    messages: [message("u-1", "user", "1", [text("x", "go")]), message("m", "assistant", "1", parts), message("n", "assistant", "1", [call("c", "read_file", "completed")])],
  });
  const rows = transcriptRows(state);
  expect(placeOfMessage(rows, state, "u-1")).toBe(0);
  expect(placeOfMessage(rows, state, "m")).toBe(1);
  expect(placeOfMessage(rows, state, "unknown")).toBe(-1);
});
