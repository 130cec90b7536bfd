/**
 * What the person wrote and has not sent, by session; kept over a reload of this tab. A draft keeps
 * the id of its message: sending it again after a lost answer is the same message.
 */
import { create } from "zustand";

export interface Draft {
  text: string;
  /** Chosen with the first try to send this very text; null before. */
  messageId: string | null;
}

const STORED_AS = "lararium-drafts";
const EMPTY: Draft = { text: "", messageId: null };
/** The key of the session that does not exist yet. */
export const NEW = "new";

function read(): Record<string, Draft> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(STORED_AS) ?? "{}");
    return typeof stored === "object" && stored !== null ? (stored as Record<string, Draft>) : {};
  } catch {
    return {};
  }
}

const useDrafts = create<Record<string, Draft>>()(() => read());

useDrafts.subscribe((drafts) => {
  try {
    sessionStorage.setItem(STORED_AS, JSON.stringify(drafts));
  } catch {
    // Full: the draft lives on in memory.
  }
});

export function useDraft(key: string): Draft {
  return useDrafts((drafts) => drafts[key] ?? EMPTY);
}

export function draftOf(key: string): Draft {
  return useDrafts.getState()[key] ?? EMPTY;
}

/** Change the text; another text is another message. */
export function writeDraft(key: string, text: string): void {
  useDrafts.setState({ [key]: { text, messageId: null } });
}

/** Give the id under which this draft is sent, the same at each try. */
export function messageIdOf(key: string): string {
  const draft = draftOf(key);
  const messageId = draft.messageId ?? crypto.randomUUID();
  useDrafts.setState({ [key]: { ...draft, messageId } });
  return messageId;
}

/** Drop the draft that was taken, unless the person has typed on since. */
export function dropDraft(key: string, messageId: string): void {
  if (draftOf(key).messageId === messageId) {
    const { [key]: _, ...rest } = useDrafts.getState();
    useDrafts.setState(rest, true);
  }
}

/** Carry the draft of the session that did not exist yet over to the one that now does. */
export function moveDraft(from: string, to: string): void {
  const { [from]: draft, ...rest } = useDrafts.getState();
  if (draft !== undefined) {
    useDrafts.setState({ ...rest, [to]: draft }, true);
  }
}
