import { X } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { Mark } from "@/components/mark";
import { sizeWords } from "@/lib/attachments";
import { type DraftImage, removeImage, useDraftImages } from "./images";

/** What goes with the message, over its text: each can be taken out, also while it is on its way. */
export function ImageChips({ draftKey }: { draftKey: string }) {
  const images = useDraftImages(draftKey);
  if (images.length === 0) {
    return null;
  }
  return (
    <ul aria-label="Attached images" className="flex max-h-40 flex-wrap gap-2 overflow-y-auto px-3 pt-3">
      {images.map((image) => (
        <Chip key={image.id} image={image} onRemove={() => { removeImage(draftKey, image.id); }} />
      ))}
    </ul>
  );
}

function Chip({ image: { file, url, sending }, onRemove }: { image: DraftImage; onRemove: () => void }) {
  const name = file.name || "image";
  return (
    <li
      className="flex h-11 max-w-60 items-center gap-2 rounded-control border border-line2 bg-bg3 ps-1 pe-0.5"
      onKeyDown={(event) => {
        if (event.key === "Delete" || event.key === "Backspace") {
          event.preventDefault();
          focusAfter(event.currentTarget);
          onRemove();
        }
      }}
    >
      <img src={url} alt="" className="size-9 shrink-0 rounded-chip bg-well object-cover" />
      <span className="min-w-0 grow">
        <span dir="auto" title={name} className="block truncate text-meta">
          {name}
        </span>
        <span role={sending ? "status" : undefined} className="tabular flex items-center gap-1 text-label text-fg3">
          {sending ? (
            <>
              <Mark kind="running" className="size-2.5" /> Sending
            </>
          ) : (
            sizeWords(file.size)
          )}
        </span>
      </span>
      <IconButton
        icon={X}
        label={sending ? `Do not send ${name}` : `Remove ${name}`}
        onClick={(event) => {
          const chip = event.currentTarget.closest("li");
          if (chip !== null) {
            focusAfter(chip);
          }
          onRemove();
        }}
      />
    </li>
  );
}

/** Whoever takes one out by keyboard goes on with its neighbour, else with the text. */
function focusAfter(chip: HTMLElement): void {
  const next = (chip.nextElementSibling ?? chip.previousElementSibling)?.querySelector<HTMLElement>("button");
  (next ?? document.querySelector<HTMLElement>("[data-composer]"))?.focus();
}
