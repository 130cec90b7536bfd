import { useRef } from "react";
import { isComposing } from "@/lib/composing";

interface NameFieldProps {
  name: string;
  /** The new name; null when it was left as it is. */
  onDone: (name: string | null) => void;
}

/** The name as a field, over its row: Enter keeps, Esc leaves it, as does going away empty. */
export function NameField({ name, onDone }: NameFieldProps) {
  const done = useRef(false);
  const field = useRef<HTMLInputElement>(null);
  const finish = (value: string | null, back: boolean) => {
    if (done.current) {
      return;
    }
    done.current = true;
    if (back) {
      field.current?.closest("li")?.querySelector<HTMLElement>("[data-project]")?.focus();
    }
    onDone(value === null || value.trim() === "" ? null : value.trim());
  };
  return (
    <input
      ref={field}
      aria-label="Name of the project"
      defaultValue={name}
      maxLength={120}
      autoFocus
      spellCheck={false}
      autoComplete="off"
      onFocus={(event) => { event.target.select(); }}
      onBlur={(event) => { finish(event.target.value, false); }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key === "Enter" && !isComposing(event)) {
          // The row that gets the focus would take the rest of the key press for a click.
          event.preventDefault();
          finish(event.currentTarget.value, true);
        } else if (event.key === "Escape") {
          finish(null, true);
        }
      }}
      className="absolute start-11 end-1.5 top-0.5 h-7 rounded-control border border-line3 bg-bg2 px-2 text-ui font-semibold outline-none"
    />
  );
}
