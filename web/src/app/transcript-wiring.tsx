import { type ReactNode, useMemo, useState } from "react";
import { TranscriptActionsContext } from "@/features/transcript/actions";
import type { CallOutput } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { readImage } from "@/lib/attachments";
import { showSession } from "@/lib/front-session";
import { isFramed, tellHub } from "@/lib/hub-link";
import { undoCompaction } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";
import { LinkDialog } from "./link-dialog";

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    showToast("Copied");
  } catch {
    showToast("The clipboard is closed to this page. Select the text and copy it.", { tone: "bad" });
  }
}

async function loadOutput(sessionId: string, callId: string, offset: number) {
  const path = `/api/sessions/${encodeURIComponent(sessionId)}/calls/${encodeURIComponent(callId)}/output`;
  const page = await api.get<CallOutput>(`${path}?offset=${offset}`);
  return { text: page.text, nextOffset: page.next_offset, totalBytes: page.total_bytes };
}

interface TranscriptWiringProps {
  sessionId: string;
  children: ReactNode;
}

/** Gives the transcript what it may ask of the page: links, output, clipboard. */
export function TranscriptWiring({ sessionId, children }: TranscriptWiringProps) {
  const [link, setLink] = useState<string | null>(null);
  const actions = useMemo(
    () => ({
      openLink: (address: string) => {
        if (isFramed) {
          tellHub({ type: "link", url: address });
        } else {
          setLink(address);
        }
      },
      loadOutput: (callId: string, offset: number) => loadOutput(sessionId, callId, offset),
      loadImage: (attachmentId: string, signal: AbortSignal) => readImage(sessionId, attachmentId, signal),
      copy: (text: string) => void copy(text),
      openSession: (id: string) => { showSession(id); },
      undoCompaction: () => {
        undoCompaction(sessionId).catch((error: unknown) => { showToast(sentenceOf(error), { tone: "bad" }); });
      },
    }),
    [sessionId],
  );
  return (
    <TranscriptActionsContext value={actions}>
      {children}
      <LinkDialog address={link} onClose={() => { setLink(null); }} />
    </TranscriptActionsContext>
  );
}
