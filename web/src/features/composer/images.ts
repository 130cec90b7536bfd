/** The images that go with a draft, by session; they live as long as the page. */
import { create } from "zustand";
import { IMAGE_TYPES, MOST_IMAGES, problemOfFile, uploadImage } from "@/lib/attachments";
import { showToast } from "@/lib/toasts";
import { draftOf, writeDraft } from "./drafts";

export interface DraftImage {
  id: string;
  file: File;
  /** Of the bytes in this page; revoked when the image leaves the draft. */
  url: string;
  /** What the daemon calls it, once it has it. */
  attachmentId: string | null;
  sending: boolean;
}

const NONE: readonly DraftImage[] = [];
const useImages = create<Readonly<Record<string, readonly DraftImage[]>>>()(() => ({}));
const uploads = new Map<string, AbortController>();

export function useDraftImages(key: string): readonly DraftImage[] {
  return useImages((images) => images[key] ?? NONE);
}

export function imagesOf(key: string): readonly DraftImage[] {
  return useImages.getState()[key] ?? NONE;
}

/** Other images make another message. */
function changed(key: string, images: readonly DraftImage[]): void {
  useImages.setState({ [key]: images });
  writeDraft(key, draftOf(key).text);
}

/** Give what a paste or a drop holds of files. */
export function filesOf(data: DataTransfer | null): File[] {
  return [...(data?.files ?? [])];
}

/** Take files into the draft; what cannot be sent is said, and left out. */
export function addImages(key: string, files: readonly File[]): void {
  const before = imagesOf(key);
  const good = files.filter((file) => {
    const problem = problemOfFile(file);
    if (problem !== "") {
      showToast(problem, { tone: "bad" });
    }
    return problem === "";
  });
  const room = MOST_IMAGES - before.length;
  if (good.length > room) {
    showToast(`A message takes ${MOST_IMAGES} images. The others were not attached: send them with the next one.`, { tone: "bad" });
  }
  const fresh = good.slice(0, room).map((file): DraftImage => ({
    id: crypto.randomUUID(),
    file,
    url: URL.createObjectURL(file),
    attachmentId: null,
    sending: false,
  }));
  if (fresh.length > 0) {
    changed(key, [...before, ...fresh]);
  }
}

/** Take images out again; one that is on its way is called back. */
export function dropImages(key: string, ids: readonly string[]): void {
  const gone = imagesOf(key).filter(({ id }) => ids.includes(id));
  for (const { id, url } of gone) {
    uploads.get(id)?.abort();
    URL.revokeObjectURL(url);
  }
  if (gone.length > 0) {
    useImages.setState({ [key]: imagesOf(key).filter((image) => !gone.includes(image)) });
  }
}

/** The same, by the person: the message is another one then. */
export function removeImage(key: string, id: string): void {
  dropImages(key, [id]);
  writeDraft(key, draftOf(key).text);
}

/** Carry the images of the session that did not exist yet over to the one that now does. */
export function moveImages(from: string, to: string): void {
  useImages.setState({ [from]: NONE, [to]: imagesOf(from) });
}

function note(key: string, id: string, change: Partial<DraftImage>): void {
  useImages.setState({ [key]: imagesOf(key).map((image) => (image.id === id ? { ...image, ...change } : image)) });
}

/** Give the daemon the images that it does not have yet, one after the other; what it has stays with it. */
export async function uploadImages(key: string): Promise<string[]> {
  for (const { id, file } of imagesOf(key).filter(({ attachmentId }) => attachmentId === null)) {
    const upload = new AbortController();
    uploads.set(id, upload);
    note(key, id, { sending: true });
    try {
      const { attachment_id: attachmentId } = await uploadImage(key, file, upload.signal);
      note(key, id, { attachmentId });
    } catch (error) {
      // The person took it out meanwhile: the message goes without it.
      if (!upload.signal.aborted) {
        throw error;
      }
    } finally {
      uploads.delete(id);
      note(key, id, { sending: false });
    }
  }
  return imagesOf(key).flatMap(({ attachmentId }) => attachmentId ?? []);
}

export const ACCEPTED = IMAGE_TYPES.join(",");
