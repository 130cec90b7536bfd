/** Sends a draft. Whatever fails, the text stays, and the next try is the same message. */
import { create } from "zustand";
import type { MessageInput } from "@/generated/daemon";
import { ApiError, sentenceOf } from "@/lib/api-client";
import { useFrontSession, showSession } from "@/lib/front-session";
import { createSession, postMessage, steer } from "@/lib/session-actions";
import { draftOf, dropDraft, messageIdOf, moveDraft, NEW } from "./drafts";
import { dropImages, imagesOf, moveImages, uploadImages } from "./images";
import { newSessionSettings } from "./new-session";

interface Sending {
  busy: boolean;
  /** Why the last try failed; "" when it did not. */
  problem: string;
}

const IDLE: Sending = { busy: false, problem: "" };
const useSendings = create<Record<string, Sending>>()(() => ({}));

export function useSending(key: string): Sending {
  return useSendings((sendings) => sendings[key] ?? IDLE);
}

function note(key: string, sending: Sending): void {
  useSendings.setState({ [key]: sending });
}

export function forgetProblem(key: string): void {
  if (useSendings.getState()[key]?.problem) {
    note(key, IDLE);
  }
}

/** Make the session that the draft begins, and bring it to the front. */
async function begin(): Promise<string> {
  const row = await createSession(newSessionSettings());
  moveDraft(NEW, row.id);
  moveImages(NEW, row.id);
  if (useFrontSession.getState().id === null) {
    showSession(row.id);
  }
  return row.id;
}

/** Speak into the run that goes on; one that has just ended leaves the next run to begin with it. */
async function speakInto(id: string, input: MessageInput): Promise<void> {
  try {
    await steer(id, input);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "no_run")) {
      throw error;
    }
    await postMessage(id, input);
  }
}

/** Send the draft of a session, or begin one with it; false when it was not taken. */
export async function sendDraft(sessionId: string | null, steers = false): Promise<boolean> {
  let key = sessionId ?? NEW;
  if (draftOf(key).text.trim() === "" || useSendings.getState()[key]?.busy === true) {
    return false;
  }
  note(key, { busy: true, problem: "" });
  try {
    if (sessionId === null) {
      const id = await begin();
      note(key, IDLE);
      key = id;
      note(key, { busy: true, problem: "" });
    }
    const attachments = await uploadImages(key);
    const sent = imagesOf(key).map(({ id }) => id);
    const { text } = draftOf(key);
    const messageId = messageIdOf(key);
    const input = { client_message_id: messageId, text, attachments };
    await (steers ? speakInto(key, input) : postMessage(key, input));
    dropDraft(key, messageId);
    dropImages(key, sent);
    note(key, IDLE);
    return true;
  } catch (error) {
    note(key, { busy: false, problem: sentenceOf(error) });
    return false;
  }
}
