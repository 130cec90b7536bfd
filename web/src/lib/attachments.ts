/** Images of a session: put before the message that names them, read with the page's own key. */
import type { AttachmentStored } from "@/generated/daemon";
import { api } from "@/lib/api-client";

/** What models take, as the daemon tells it by the first bytes. */
export const IMAGE_TYPES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
export const MOST_IMAGES = 20;
const MOST_BYTES = 20 * 1024 * 1024;
const UPLOAD_MS = 75_000;

const path = (sessionId: string, last: string) =>
  `/api/sessions/${encodeURIComponent(sessionId)}/attachments/${encodeURIComponent(last)}`;

/** Why a file cannot be sent, and what to do; "" when it can. */
export function problemOfFile({ name, type, size }: Pick<File, "name" | "type" | "size">): string {
  if (!IMAGE_TYPES.includes(type)) {
    return `${name} was not attached: models take PNG, JPEG, GIF and WebP. Save it as one of them, or name its path in your message.`;
  }
  if (size === 0) {
    return `${name} was not attached: the file is empty.`;
  }
  return size > MOST_BYTES ? `${name} was not attached: it has ${sizeWords(size)}, and 20 MB is the most. Make it smaller.` : "";
}

/** "1.4 MB" */
export function sizeWords(bytes: number): string {
  const kilo = bytes / 1024;
  return kilo < 1000 ? `${Math.max(1, Math.round(kilo)).toLocaleString()} KB` : `${(kilo / 1024).toFixed(1)} MB`;
}

export function uploadImage(sessionId: string, file: File, signal: AbortSignal): Promise<AttachmentStored> {
  return api.put(path(sessionId, file.name || "image"), file, { signal, timeoutMs: UPLOAD_MS });
}

export function readImage(sessionId: string, attachmentId: string, signal: AbortSignal): Promise<Blob> {
  return api.bytes(path(sessionId, attachmentId), { signal });
}
