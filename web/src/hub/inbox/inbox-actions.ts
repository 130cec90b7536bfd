/** Answers to what waits: each goes to the hub, which lets the first one of all places count. */
import type { InboxAnswered, InboxAnswerInput, InboxDetail, InboxItem } from "@/generated/hub";
import { sayHub } from "@/hub/shell-actions";
import { api } from "@/lib/api-client";
import { showToast } from "@/lib/toasts";

const path = (id: string, verb = "") => `/api/inbox/${encodeURIComponent(id)}${verb}`;

/** The item with the whole command, change or question. */
export function lookAt(id: string, signal: AbortSignal): Promise<InboxDetail> {
  return api.get(path(id), { signal });
}

/** Give the answer; resolves once the daemon has committed it, or said that another was first. */
export function answerItem(id: string, answer: InboxAnswerInput): Promise<InboxAnswered> {
  return api.post(path(id, "/answer"), answer);
}

/** Take items that ended off the list. */
export async function dismissItems(items: readonly InboxItem[]): Promise<void> {
  try {
    await Promise.all(items.map(({ id }) => answerItem(id, { action: "dismiss" })));
  } catch (error) {
    showToast(sayHub(error), { tone: "bad" });
  }
}
