/** What the person can do to a session; each is one request, and the events tell its effect. */
import type {
  MessageAccepted,
  MessageInput,
  SessionCreateInput,
  SessionPatchInput,
  SessionSummary,
} from "@/generated/daemon";
import { api } from "@/lib/api-client";
import { putRow } from "@/lib/events/store";

const path = (id: string, verb = "") => `/api/sessions/${encodeURIComponent(id)}${verb}`;

export async function createSession(input: SessionCreateInput): Promise<SessionSummary> {
  const row = await api.post<SessionSummary>("/api/sessions", input);
  putRow(row);
  return row;
}

export async function patchSession(id: string, change: SessionPatchInput): Promise<void> {
  putRow(await api.patch<SessionSummary>(path(id), change));
}

export function deleteSession(id: string): Promise<void> {
  return api.delete(path(id));
}

/** Send the person's message; the same `client_message_id` again is the same message. */
export function postMessage(id: string, input: MessageInput): Promise<MessageAccepted> {
  return api.post(path(id, "/messages"), input);
}

/** Say something to the run that goes on; rejects with the code `no_run` when none does. */
export function steer(id: string, input: MessageInput): Promise<MessageAccepted> {
  return api.post(path(id, "/steer"), input);
}

/** Give a message that waits another text; rejects when a run has taken it. */
export function editQueued(id: string, messageId: string, text: string): Promise<void> {
  return api.patch(path(id, `/queue/${encodeURIComponent(messageId)}`), { text });
}

/** Summarise the older messages for the model now. */
export function compact(id: string): Promise<void> {
  return api.post(path(id, "/compact"));
}

/** Tell the model the messages again that were summarised last. */
export function undoCompaction(id: string): Promise<void> {
  return api.post(path(id, "/compaction/undo"));
}

export function interrupt(id: string): Promise<void> {
  return api.post(path(id, "/interrupt"));
}

/** Take a message out of the queue; one that a run has taken meanwhile stays. */
export function removeQueued(id: string, messageId: string): Promise<void> {
  return api.delete(path(id, `/queue/${encodeURIComponent(messageId)}`));
}
