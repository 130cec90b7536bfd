import { ImagePlus } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "@/components/icon-button";
import { ACCEPTED, addImages } from "./images";

/** Lets the person pick images from this computer. */
export function AttachButton({ draftKey }: { draftKey: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <IconButton icon={ImagePlus} label="Attach images" onClick={() => { field.current?.click(); }} />
      <input
        ref={field}
        type="file"
        multiple
        accept={ACCEPTED}
        aria-label="Images to attach"
        tabIndex={-1}
        className="hidden"
        onChange={({ currentTarget }) => {
          addImages(draftKey, [...(currentTarget.files ?? [])]);
          // The same file can be picked again after it was taken out.
          currentTarget.value = "";
        }}
      />
    </>
  );
}
