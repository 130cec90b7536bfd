/**
 * What a page received of real runs, folded here, is the daemon's own state. The daemon's fold is
 * held to the same files in `tests/traces/test_traces.py`; `tests/traces/record.py` makes them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { apply, countsOf, emptyState } from "@/lib/events/reducer";
import type { Envelope, ServerMessage, SessionState } from "@/lib/protocol";

interface Trace {
  messages: ServerMessage[];
  state: SessionState;
}

const folder = join(import.meta.dirname, "../../../../tests/traces");
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));

function foldAll(state: SessionState, envelopes: readonly Envelope[]): SessionState {
  return envelopes.reduce((before, envelope) => {
    const applied = apply(before, envelope);
    expect(applied.gap).toBe(false);
    return applied.state;
  }, state);
}

function fold(state: SessionState, message: ServerMessage): SessionState {
  switch (message.type) {
    case "snapshot":
      return message.state;
    case "replay":
      return foldAll(state, message.events);
    case "event":
      return foldAll(state, [message.event]);
    case "heartbeat":
      expect(countsOf(state)).toEqual(message.sessions[state.session_id]);
      return state;
    default:
      throw new Error(`a trace has no ${message.type}`);
  }
}

describe("a recorded run", () => {
  it.each(files)("%s ends in the daemon's state", (file) => {
    const trace = JSON.parse(readFileSync(join(folder, file), "utf-8")) as Trace;
    const state = trace.messages.reduce(fold, emptyState(trace.state.session_id));
    expect(state).toEqual(trace.state);
  });
});
