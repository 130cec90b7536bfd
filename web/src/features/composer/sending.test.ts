import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { showSession, useFrontSession } from "@/lib/front-session";
import { row } from "@/testing/rows";
import { serve } from "@/testing/server";
import { draftOf, NEW, writeDraft } from "./drafts";
import { sendDraft } from "./sending";

const accepted = { message_id: "m", run_id: "r", seq: 3, queued: false };

interface Sent {
  client_message_id: string;
  text: string;
}

beforeEach(() => {
  for (const key of [NEW, "ses_1"]) {
    writeDraft(key, "");
  }
  showSession(null);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("begins a session with the first message and brings it to the front", async () => {
  const calls = serve(({ path }) => (path === "/api/sessions" ? { body: row("ses_1") } : { body: accepted }));
  writeDraft(NEW, "Mend it");
  expect(await sendDraft(null)).toBe(true);
  expect(calls.map((call) => `${call.method} ${call.path}`)).toEqual([
    "POST /api/sessions",
    "POST /api/sessions/ses_1/messages",
  ]);
  expect(calls[1]?.body).toMatchObject({ text: "Mend it" });
  expect(useFrontSession.getState().id).toBe("ses_1");
  expect([draftOf(NEW).text, draftOf("ses_1").text]).toEqual(["", ""]);
});

it("keeps the text when sending fails and sends the same message again", async () => {
  const answers = [{ status: 507, body: { code: "storage_full", detail: "The disk is full." } }, { body: accepted }];
  const calls = serve(() => answers.shift() ?? {});
  writeDraft("ses_1", "Mend it");
  expect(await sendDraft("ses_1")).toBe(false);
  expect(draftOf("ses_1").text).toBe("Mend it");
  expect(await sendDraft("ses_1")).toBe(true);
  const [first, second] = calls.map((call) => call.body as Sent);
  expect(second).toEqual(first);
  expect(first?.client_message_id).not.toBe("");
});

it("gives another text another id", async () => {
  const answers = [{ status: 503 }, { body: accepted }];
  const calls = serve(() => answers.shift() ?? {});
  writeDraft("ses_1", "Mend it");
  await sendDraft("ses_1");
  writeDraft("ses_1", "Mend it well");
  await sendDraft("ses_1");
  const [first, second] = calls.map((call) => call.body as Sent);
  expect(second?.client_message_id).not.toBe(first?.client_message_id);
  expect(second?.text).toBe("Mend it well");
});

it("keeps what was typed on while the message was on its way", async () => {
  serve(() => {
    writeDraft("ses_1", "And the next");
    return { body: accepted };
  });
  writeDraft("ses_1", "Mend it");
  expect(await sendDraft("ses_1")).toBe(true);
  expect(draftOf("ses_1").text).toBe("And the next");
});

it("sends nothing when there is nothing but blanks", async () => {
  const calls = serve(() => ({}));
  writeDraft("ses_1", " \n ");
  expect(await sendDraft("ses_1")).toBe(false);
  expect(calls).toEqual([]);
});
