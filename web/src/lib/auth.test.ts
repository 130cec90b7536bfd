import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { api } from "@/lib/api-client";
import { signIn, startAuth, takeTicket, useAuth } from "@/lib/auth";
import { forgetSessionKey, sessionKey } from "@/lib/session-key";

function answer(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status });
}

function serve(handler: (path: string, init: RequestInit) => Response): void {
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => Promise.resolve(handler(path, init)));
}

beforeEach(() => {
  forgetSessionKey();
  useAuth.setState({ status: "checking", detail: "" });
  window.history.replaceState(null, "", "/");
});
afterEach(() => {
  vi.unstubAllGlobals();
});

describe("the ticket", () => {
  it("leaves the address at once, and nothing else does", () => {
    window.history.replaceState(null, "", "/?x=1#t=abc&session=ses_1");
    expect(takeTicket(window.location, window.history)).toBe("abc");
    expect(window.location.href).toMatch(/\/\?x=1#session=ses_1$/);
    expect(takeTicket(window.location, window.history)).toBeNull();
  });

  it("is traded for a key that a reload keeps", async () => {
    serve((path, init) => {
      expect(path).toBe("/api/auth/exchange");
      expect(new Headers(init.headers).has("Authorization")).toBe(false);
      return answer(200, { session_key: "key-1", scopes: ["read"] });
    });
    await signIn("abc");
    expect(useAuth.getState().status).toBe("in");
    expect(sessionKey()).toBe("key-1");
    expect(sessionStorage.getItem("lararium-session-key")).toBe("key-1");
  });

  it("that was spent says why and asks for another", async () => {
    serve(() => answer(401, { code: "ticket_invalid", detail: "This ticket was used already." }));
    await signIn("abc");
    expect(useAuth.getState()).toEqual({ status: "out", detail: "This ticket was used already." });
  });

  it("may come later, by a change of the address", async () => {
    serve(() => answer(200, { session_key: "key-2", scopes: [] }));
    const stop = startAuth();
    expect(useAuth.getState().status).toBe("out");
    window.location.hash = "#t=later";
    await vi.waitFor(() => { expect(useAuth.getState().status).toBe("in"); });
    expect(window.location.hash).toBe("");
    stop();
  });
});

it.each([
  [401, "unauthorized"],
  [429, "too_many_failures"],
])("signs the page out when the server no longer knows its key: %i", async (status, code) => {
  sessionStorage.setItem("lararium-session-key", "old");
  const stop = startAuth();
  expect(useAuth.getState().status).toBe("in");
  serve((_, init) => {
    expect(new Headers(init.headers).get("Authorization")).toBe("Bearer old");
    return answer(status, { code, detail: "Sign in." });
  });
  await expect(api.get("/api/status")).rejects.toMatchObject({ code, status });
  expect(useAuth.getState().status).toBe("out");
  expect(sessionStorage.getItem("lararium-session-key")).toBeNull();
  stop();
});

it("calls a server that is not there unreachable", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("failed")));
  await expect(api.get("/api/status")).rejects.toMatchObject({ code: "unreachable", status: 0 });
});
