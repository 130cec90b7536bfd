import { beforeEach, describe, expect, it } from "vitest";
import { fold, useEvents } from "@/lib/events/store";
import type { ServerMessage } from "@/lib/protocol";
import { event, openAnswer } from "@/testing/envelopes";
import { row } from "@/testing/rows";

const empty = useEvents.getInitialState();
const foldAll = (messages: readonly ServerMessage[]) => messages.reduce(fold, empty);
const replay: ServerMessage = { type: "replay", session_id: "ses_1", events: openAnswer() };
const delta = (offset: number, text: string): ServerMessage => ({
  type: "event",
  event: event(5, "part.delta", { message_id: "a", part_id: "p", kind: "text", offset, text }),
});

beforeEach(() => {
  useEvents.setState(empty, true);
});

describe("a followed session", () => {
  it("grows by replay and events", () => {
    const events = foldAll([replay, delta(0, "Hi")]);
    expect(events.followed["ses_1"]).toMatchObject({ epoch: "epoch-a", stale: false, state: { seq: 5 } });
  });

  it("is stale after a gap, and takes nothing in until a snapshot comes", () => {
    const gap = foldAll([replay, delta(3, "lost"), delta(0, "Hi")]);
    expect(gap.followed["ses_1"]?.stale).toBe(true);
    expect(gap.followed["ses_1"]?.state.messages[1]?.parts).toEqual([]);
    const { state } = foldAll([replay, delta(0, "Hello")]).followed["ses_1"]!;
    const mended = fold(gap, { type: "snapshot", session_id: "ses_1", seq: 5, epoch: "epoch-a", state });
    expect(mended.followed["ses_1"]).toEqual({ state, epoch: "epoch-a", stale: false });
  });

  it("is stale when the daemon is another one", () => {
    const other = { ...event(6, "turn.started", { run_id: "run_1", turn: 2, message_id: "b" }), epoch: "epoch-b" };
    expect(foldAll([replay, { type: "event", event: other }]).followed["ses_1"]?.stale).toBe(true);
  });

  it("is stale when the daemon counts otherwise at the same place", () => {
    const right = { seq: 5, messages: 2, parts: 2, chars: "HelloHi".length };
    const beat = (counts: typeof right): ServerMessage => ({ type: "heartbeat", sessions: { ses_1: counts } });
    const stale = (counts: typeof right) => foldAll([replay, delta(0, "Hi"), beat(counts)]).followed["ses_1"]?.stale;
    expect(stale(right)).toBe(false);
    expect(stale({ ...right, chars: 8 })).toBe(true);
    expect(stale({ ...right, seq: 6, chars: 8 })).toBe(false);
  });

  it("that the daemon does not give says why", () => {
    const refusal: ServerMessage = { type: "error", code: "unknown_session", detail: "Gone.", session_id: "ses_9" };
    expect(foldAll([refusal]).refused).toEqual({ ses_9: "Gone." });
  });
});

it("keeps the rows of the list as they change and go", () => {
  const push = (id: string, title: string): ServerMessage => ({ type: "session", session: row(id, { title }) });
  const events = foldAll([push("a", "One"), push("b", "Two"), push("a", "New"), { type: "session_removed", session_id: "b" }]);
  expect(events.rows).toEqual({ a: row("a", { title: "New" }) });
});
