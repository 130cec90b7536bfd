import { useEffect, useState } from "react";
import { Dialog } from "@/components/dialog";
import { sizeWords } from "@/lib/attachments";
import type { ImagePart } from "@/lib/protocol";
import { useTranscriptActions } from "./actions";

type Loaded = { is: "loading" } | { is: "there"; url: string } | { is: "gone" };

/** An image's bytes as an address of this page; it ends with the element that shows it. */
function useImage(attachmentId: string): Loaded {
  const { loadImage } = useTranscriptActions();
  const [loaded, setLoaded] = useState<Loaded>({ is: "loading" });
  useEffect(() => {
    const reading = new AbortController();
    let url: string | null = null;
    loadImage(attachmentId, reading.signal).then(
      (blob) => {
        if (!reading.signal.aborted) {
          url = URL.createObjectURL(blob);
          setLoaded({ is: "there", url });
        }
      },
      () => {
        if (!reading.signal.aborted) {
          setLoaded({ is: "gone" });
        }
      },
    );
    return () => {
      reading.abort();
      if (url !== null) {
        URL.revokeObjectURL(url);
      }
    };
  }, [attachmentId, loadImage]);
  return loaded;
}

/** An image that the person sent: small in the transcript, larger on a click. */
export function SentImage({ part }: { part: ImagePart }) {
  const loaded = useImage(part.attachment_id);
  const [open, setOpen] = useState(false);
  if (loaded.is !== "there") {
    return (
      <span className="flex h-28 min-w-28 max-w-full items-center justify-center rounded-well border border-line1 bg-well px-3 text-meta text-fg3">
        <span className="truncate">{loaded.is === "gone" ? `${part.name} cannot be shown` : part.name}</span>
      </span>
    );
  }
  return (
    <>
      <button
        type="button"
        aria-label={`Open ${part.name}`}
        title={`${part.name}, ${sizeWords(part.bytes)}`}
        onClick={() => { setOpen(true); }}
        className="h-28 max-w-full overflow-hidden rounded-well border border-line1 bg-well hover-fade hover:border-line3"
      >
        <img src={loaded.url} alt={part.name} className="h-full max-w-60 min-w-11 object-cover small:max-w-40" />
      </button>
      {open ? (
        <Dialog open onClose={() => { setOpen(false); }} width="large" title={part.name} description={factsOf(part)}>
          <img src={loaded.url} alt={part.name} className="mx-auto max-h-[70vh] max-w-full rounded-well bg-well object-contain" />
        </Dialog>
      ) : null}
    </>
  );
}

/** "1440 × 900, 310 KB" */
function factsOf({ width, height, bytes }: ImagePart): string {
  const size = sizeWords(bytes);
  return width === null || height === null ? size : `${width} × ${height}, ${size}`;
}
