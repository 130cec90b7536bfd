import { createContext, use } from "react";

export interface OutputPage {
  text: string;
  nextOffset: number | null;
  totalBytes: number;
}

/** What the transcript can ask of the page around it. */
export interface TranscriptActions {
  /** Opens an address after the person has seen where it leads. */
  openLink: (address: string) => void;
  /** Reads a page of a call's whole output. */
  loadOutput: (callId: string, offset: number) => Promise<OutputPage>;
  /** Reads an image of the session. */
  loadImage: (attachmentId: string, signal: AbortSignal) => Promise<Blob>;
  copy: (text: string) => void;
  undoCompaction: () => void;
  /** Brings another session to the front. */
  openSession: (sessionId: string) => void;
}

export const TranscriptActionsContext = createContext<TranscriptActions | null>(null);

export function useTranscriptActions(): TranscriptActions {
  const actions = use(TranscriptActionsContext);
  if (actions === null) throw new Error("The transcript stands outside its actions' context.");
  return actions;
}
