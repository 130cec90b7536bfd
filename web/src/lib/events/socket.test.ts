import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventSocket, type SocketState } from "@/lib/events/socket";
import type { ServerMessage } from "@/lib/protocol";

/** A WebSocket whose other side is the test. */
class FakeWebSocket {
  static readonly OPEN = 1;
  static made: FakeWebSocket[] = [];
  static refuses = false;
  readyState = 0;
  sent: unknown[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: (() => void) | null = null;
  readonly protocols: string[];

  constructor(_address: string, protocols: string[]) {
    if (FakeWebSocket.refuses) {
      throw new DOMException("refused", "SecurityError");
    }
    this.protocols = protocols;
    FakeWebSocket.made.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }
  close(): void {
    this.closed = true;
  }
  open(): void {
    this.readyState = FakeWebSocket.OPEN;
    this.onopen?.();
  }
  say(message: unknown): void {
    this.onmessage?.({ data: typeof message === "string" ? message : JSON.stringify(message) });
  }
}

let tickets: number;
let states: SocketState[];
let heard: ServerMessage[];
let socket: EventSocket;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeWebSocket);
  FakeWebSocket.made = [];
  FakeWebSocket.refuses = false;
  tickets = 0;
  states = [];
  heard = [];
  socket = new EventSocket(
    {
      address: "ws://127.0.0.1:1/api/events",
      ticket: () => {
        tickets += 1;
        return Promise.resolve(`t${tickets}`);
      },
    },
    {
      onState: (state) => states.push(state),
      onMessage: (message) => heard.push(message),
      greeting: () => [{ type: "subscribe", topic: "sessions", after_seq: 0, visible: true }],
    },
  );
});

afterEach(() => {
  socket.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function connect(): Promise<FakeWebSocket> {
  await vi.advanceTimersByTimeAsync(0);
  const made = FakeWebSocket.made.at(-1)!;
  made.open();
  return made;
}

describe("EventSocket", () => {
  it("greets once open, with a ticket of its own as subprotocol", async () => {
    socket.start();
    const made = await connect();
    expect(made.protocols).toEqual(["lar.v1", "ticket.t1"]);
    expect(made.sent).toEqual([{ type: "subscribe", topic: "sessions", after_seq: 0, visible: true }]);
    expect(states).toEqual([{ is: "connecting" }, { is: "open" }]);
    made.say({ type: "pong" });
    expect(heard).toEqual([{ type: "pong" }]);
  });

  it("comes back with a fresh ticket after the connection ends", async () => {
    socket.start();
    (await connect()).onclose?.();
    expect(states.at(-1)).toEqual({ is: "lost", attempt: 1 });
    await vi.advanceTimersByTimeAsync(250);
    const second = await connect();
    expect(second.protocols).toEqual(["lar.v1", "ticket.t2"]);
    expect(second.sent).toHaveLength(1);
    expect(states.at(-1)).toEqual({ is: "open" });
  });

  it("waits longer with each failed try, at most eight seconds", async () => {
    socket.start();
    await vi.advanceTimersByTimeAsync(0);
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      FakeWebSocket.made.at(-1)!.onclose?.();
      expect(states.at(-1)).toEqual({ is: "lost", attempt });
      const made = FakeWebSocket.made.length;
      const longest = Math.min(250 * 2 ** (attempt - 1), 8_000);
      await vi.advanceTimersByTimeAsync(longest / 2 - 1);
      expect(FakeWebSocket.made).toHaveLength(made);
      await vi.advanceTimersByTimeAsync(longest / 2 + 1);
      expect(FakeWebSocket.made).toHaveLength(made + 1);
    }
  });

  it("takes 45 s of silence for an end", async () => {
    socket.start();
    const made = await connect();
    await vi.advanceTimersByTimeAsync(44_000);
    made.say({ type: "heartbeat", sessions: {} });
    await vi.advanceTimersByTimeAsync(44_000);
    expect(made.closed).toBe(false);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(made.closed).toBe(true);
    expect(states.at(-1)).toEqual({ is: "lost", attempt: 1 });
  });

  it("survives a policy that refuses the address, and words that are no JSON", async () => {
    FakeWebSocket.refuses = true;
    socket.start();
    await vi.advanceTimersByTimeAsync(0);
    expect(states.at(-1)).toEqual({ is: "lost", attempt: 1 });
    FakeWebSocket.refuses = false;
    await vi.advanceTimersByTimeAsync(250);
    (await connect()).say("{");
    expect(states.at(-1)).toEqual({ is: "lost", attempt: 1 });
  });

  it("says nothing more once stopped", async () => {
    socket.start();
    const made = await connect();
    socket.stop();
    expect(made.closed).toBe(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeWebSocket.made).toHaveLength(1);
    expect(states.at(-1)).toEqual({ is: "open" });
  });
});
