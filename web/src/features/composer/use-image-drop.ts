import { useEffect, useState } from "react";
import { addImages, filesOf } from "./images";

function bringsFiles({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes("Files") === true;
}

/** Takes files that are dropped anywhere on the page, which would else leave for them; says whether some are held over it. */
export function useImageDrop(key: string): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (bringsFiles(event)) {
        event.preventDefault();
        setOver(true);
      }
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) {
        setOver(false);
      }
    };
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (bringsFiles(event)) {
        event.preventDefault();
        addImages(key, filesOf(event.dataTransfer));
      }
    };
    window.addEventListener("dragover", onOver);
    window.addEventListener("dragleave", onLeave);
    window.addEventListener("drop", onDrop);
    return () => {
      window.removeEventListener("dragover", onOver);
      window.removeEventListener("dragleave", onLeave);
      window.removeEventListener("drop", onDrop);
    };
  }, [key]);
  return over;
}
