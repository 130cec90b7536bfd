import { vi } from "vitest";

export interface Call {
  method: string;
  path: string;
  body: unknown;
}

type Answer = { status?: number; body?: unknown };

/** Stand in for the daemon: answers each call by the handler and keeps what was asked. */
export function serve(handler: (call: Call) => Answer | Promise<Answer>): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal("fetch", async (path: string, init: RequestInit) => {
    const body = typeof init.body === "string" ? (JSON.parse(init.body) as unknown) : (init.body ?? undefined);
    const call = { method: init.method ?? "GET", path, body };
    calls.push(call);
    const { status = 200, body: answer = {} } = await handler(call);
    init.signal?.throwIfAborted();
    return new Response(JSON.stringify(answer), { status });
  });
  return calls;
}
