import { useRef } from "react";
import { isComposing } from "@/lib/composing";

interface RenameFieldProps {
  title: string;
  /** The new title; null when it was left as it is. */
  onDone: (title: string | null) => void;
}

/** The title as a field, over its row: Enter keeps, Esc leaves it, as does going away empty. */
export function RenameField({ title, onDone }: RenameFieldProps) {
  const done = useRef(false);
  const finish = (value: string | null) => {
    if (!done.current) {
      done.current = true;
      onDone(value === null || value.trim() === "" ? null : value.trim());
    }
  };
  return (
    <input
      aria-label="Title of the session"
      defaultValue={title}
      maxLength={200}
      autoFocus
      onFocus={(event) => { event.target.select(); }}
      onBlur={(event) => { finish(event.target.value); }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter" && !isComposing(event)) {
          finish(event.currentTarget.value);
        } else if (event.key === "Escape") {
          finish(null);
        }
      }}
      className="absolute inset-x-1 top-0.5 h-7 rounded-control border border-line3 bg-bg2 ps-7.5 pe-2 text-ui outline-none"
    />
  );
}
