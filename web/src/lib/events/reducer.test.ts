import { describe, expect, it } from "vitest";
import { apply, countsOf, emptyState } from "@/lib/events/reducer";
import type { Envelope, SessionState } from "@/lib/protocol";
import { event, openAnswer, toolCall, userMessage } from "@/testing/envelopes";

function foldAll(envelopes: readonly Envelope[], from: SessionState = emptyState("ses_1")): SessionState {
  return envelopes.reduce((state, envelope) => {
    const applied = apply(state, envelope);
    expect(applied.gap).toBe(false);
    return applied.state;
  }, from);
}

function delta(offset: number, text: string, seq = 5): Envelope {
  return event(seq, "part.delta", { message_id: "a", part_id: "p", kind: "text", offset, text });
}

function answer(state: SessionState): string {
  const part = state.messages.find((message) => message.message_id === "a")?.parts[0];
  return part?.type === "text" ? part.text : "";
}

describe("text", () => {
  it("grows by deltas and ends as the durable pieces say", () => {
    const state = foldAll([...openAnswer(), delta(0, "Hel"), delta(3, "lo")]);
    expect(answer(state)).toBe("Hello");
    const piece = event(6, "part.appended", {
      message_id: "a",
      part: { type: "text", part_id: "p", text: "Hello" },
      offset: 0,
    });
    expect(answer(foldAll([piece], state))).toBe("Hello");
  });

  it("drops what it has already when a delta comes twice or overlaps", () => {
    const state = foldAll([...openAnswer(), delta(0, "Hello"), delta(0, "Hello"), delta(3, "lo you")]);
    expect(answer(state)).toBe("Hello you");
  });

  it("counts offsets in UTF-16 units", () => {
    const state = foldAll([...openAnswer(), delta(0, "a🔥"), delta(3, "b")]);
    expect(answer(state)).toBe("a🔥b");
    expect(countsOf(state).chars).toBe("Hello".length + 4);
  });

  it("asks for more when a delta lies beyond what it has", () => {
    const state = foldAll([...openAnswer(), delta(0, "He")]);
    expect(apply(state, delta(4, "o"))).toEqual({ state, gap: true });
    expect(apply(foldAll(openAnswer()), delta(1, "x")).gap).toBe(true);
  });

  it("cuts at the offset of a durable piece", () => {
    const state = foldAll([
      ...openAnswer(),
      delta(0, "Hello wrong"),
      event(6, "part.appended", { message_id: "a", part: { type: "text", part_id: "p", text: "there" }, offset: 6 }),
    ]);
    expect(answer(state)).toBe("Hello there");
  });
});

describe("order", () => {
  it("ignores a durable event it has folded already", () => {
    const events = openAnswer();
    const state = foldAll(events);
    for (const old of events) {
      expect(apply(state, old)).toEqual({ state, gap: false });
    }
  });

  it("asks for more when a durable event is missing", () => {
    const state = foldAll(openAnswer().slice(0, 3));
    expect(apply(state, openAnswer()[4]!).gap).toBe(true);
  });

  it("asks for more when a volatile event knows of a later durable one", () => {
    expect(apply(foldAll(openAnswer()), delta(0, "x", 6)).gap).toBe(true);
  });

  it("counts an event type of a newer daemon and changes nothing else", () => {
    const state = foldAll(openAnswer());
    const unknown = { ...event(6, "notice", {} as never), type: "weather.changed" } as unknown as Envelope;
    expect(apply(state, unknown)).toEqual({ state: { ...state, seq: 6 }, gap: false });
  });
});

describe("a tool call", () => {
  const started = [
    ...openAnswer(),
    event(6, "part.appended", { message_id: "a", part: toolCall("c"), offset: 0 }),
    event(7, "tool.started", { run_id: "run_1", call_id: "c", before_sha256: "", after_sha256: "", path: "" }),
  ];
  const progress = event(7, "tool.progress", { call_id: "c", part_id: "c-part", offset: 0, tail: "1", total_bytes: 1 });

  it("runs, shows the tail of its output and ends with its result", () => {
    const running = foldAll([...started, progress]);
    expect(running.progress).toEqual({ c: "1" });
    const result = { text: "1\n", is_error: false, summary: "exit 0", metadata: {}, diff: null, attachments: [] };
    const ended = foldAll([event(8, "tool.ended", { run_id: "run_1", call_id: "c", state: "completed", result })], running);
    expect(ended.progress).toEqual({});
    expect(ended.messages[1]?.parts[0]).toEqual({
      ...toolCall("c"),
      state: "completed",
      started_at: "2026-03-01T10:00:07Z",
      ended_at: "2026-03-01T10:00:08Z",
      result,
    });
  });

  it("takes no progress before it runs", () => {
    const state = foldAll(started.slice(0, 6));
    expect(apply(state, { ...progress, seq: 6 }).state.progress).toEqual({});
  });
});

describe("a run", () => {
  it("takes a queued message to the end of the transcript", () => {
    const state = foldAll([
      ...openAnswer(),
      event(6, "message.appended", { message: userMessage("q", "Next", null) }),
      event(7, "notice", { level: "info", code: "retry", text: "Tries again", run_id: "run_1" }),
      event(8, "run.ended", { run_id: "run_1", outcome: "completed", refused: 0, code: "", detail: "", text: "" }),
      event(9, "run.started", { run_id: "run_2", message_id: "q", model: "m", mode: "plan" }),
    ]);
    expect(state.messages.map((message) => [message.message_id, message.run_id])).toEqual([
      ["u", "run_1"],
      ["a", "run_1"],
      ["q", "run_2"],
    ]);
    expect(state.notices[0]?.after_message_id).toBe("a");
    expect(state.runs.map((run) => run.outcome)).toEqual(["completed"]);
    expect(state.run).toMatchObject({ run_id: "run_2", outcome: null, mode: "plan" });
  });

  it("drops a queued message that was taken out, and no other", () => {
    const queued = [...openAnswer(), event(6, "message.appended", { message: userMessage("q", "Next", null) })];
    const ids = (state: SessionState) => state.messages.map((message) => message.message_id);
    expect(ids(foldAll([...queued, event(7, "message.removed", { message_id: "q" })]))).toEqual(["u", "a"]);
    expect(ids(foldAll([...queued, event(7, "message.removed", { message_id: "u" })]))).toEqual(["u", "a", "q"]);
  });
});

it("keeps the identity of what did not change", () => {
  const before = foldAll(openAnswer());
  const after = foldAll([delta(0, "Hi")], before);
  expect(after.messages[0]).toBe(before.messages[0]);
  expect(after.messages[1]).not.toBe(before.messages[1]);
});
