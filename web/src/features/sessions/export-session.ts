import type { MessageList } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { isFramed } from "@/lib/hub-link";
import type { Message, SessionSummary } from "@/lib/protocol";
import { showToast } from "@/lib/toasts";
import { titleOf } from "./groups";

/** Read all messages, oldest first; pages go from newest to oldest. */
async function readMessages(id: string): Promise<Message[]> {
  const pages: Message[][] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query = new URLSearchParams({ limit: "500", cursor });
    const page: MessageList = await api.get<MessageList>(`/api/sessions/${encodeURIComponent(id)}/messages?${query}`);
    pages.push(page.items);
    cursor = page.next_cursor;
  }
  return pages.reverse().flat();
}

/** Give a name that every file system takes. */
export function fileNameOf(title: string): string {
  const plain = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  return `${[...plain].slice(0, 60).join("") || "session"}.jsonl`;
}

function download(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => { URL.revokeObjectURL(address); }, 60_000);
}

/**
 * Give the session away as one message a line, as `lar sessions import` takes it: a file from a
 * browser; from the app's window, which saves nothing, by the clipboard.
 */
export async function exportSession(row: Pick<SessionSummary, "id" | "title">): Promise<void> {
  try {
    const messages = await readMessages(row.id);
    const text = messages.map((message) => `${JSON.stringify(message)}\n`).join("");
    if (isFramed) {
      await navigator.clipboard.writeText(text);
      showToast("Copied the session, one message a line. “lar sessions export” writes it to a file.");
    } else {
      download(fileNameOf(titleOf(row)), text);
      showToast("Exported the session, one message a line.");
    }
  } catch (error) {
    showToast(`The session was not exported: ${sentenceOf(error)}`, { tone: "bad" });
  }
}
