import { expect, it, vi } from "vitest";
import { api, onSignedOut } from "@/lib/api-client";
import { forgetSessionKey, keepSessionKey, sessionKey } from "@/lib/session-key";

function refused(): Response {
  return Response.json({ code: "credential_invalid", detail: "No." }, { status: 401 });
}

it("keeps a key that came while an old one was refused, and asks again with it", async () => {
  keepSessionKey("old");
  const signedOut = vi.fn();
  const stop = onSignedOut(signedOut);
  const asked: (string | null)[] = [];
  vi.stubGlobal("fetch", (_path: string, init: { headers: Headers }) => {
    const key = init.headers.get("Authorization");
    asked.push(key);
    if (key === "Bearer new") {
      return Promise.resolve(Response.json({ ok: true }));
    }
    keepSessionKey("new");
    return Promise.resolve(refused());
  });
  await expect(api.get("/api/status")).resolves.toEqual({ ok: true });
  expect(asked).toEqual(["Bearer old", "Bearer new"]);
  expect(signedOut).not.toHaveBeenCalled();
  expect(sessionKey()).toBe("new");
  stop();
  vi.unstubAllGlobals();
});

it("forgets a key that is refused", async () => {
  keepSessionKey("old");
  vi.stubGlobal("fetch", () => Promise.resolve(refused()));
  await expect(api.get("/api/status")).rejects.toMatchObject({ status: 401 });
  expect(sessionKey()).toBeNull();
  forgetSessionKey();
  vi.unstubAllGlobals();
});
