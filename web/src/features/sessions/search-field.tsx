import { Search, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { isComposing } from "@/lib/composing";
import { useSessionsList } from "./opened";

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
  /** Into what was found: the first of it is opened, or only looked at. */
  onLeave: (open: boolean) => void;
}

/** Narrows the list to titles that hold the words, and finds them in the text of all sessions. */
export function SearchField({ value, onChange, onLeave }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const wanted = useSessionsList((list) => list.searchWanted);
  useEffect(() => {
    if (wanted) {
      field.current?.focus();
      field.current?.select();
    }
  }, [wanted]);
  return (
    <div className="relative mx-2.5 shrink-0">
      <Search
        size={15}
        strokeWidth={1.6}
        aria-hidden="true"
        className="pointer-events-none absolute start-2.5 top-2 text-fg3"
      />
      <input
        ref={field}
        type="search"
        data-search-sessions
        data-wanted={wanted ? "" : undefined}
        aria-label="Find in titles and text of all sessions"
        placeholder="Find in all sessions"
        maxLength={400}
        value={value}
        onFocus={() => { useSessionsList.setState({ searchWanted: false }); }}
        onChange={(event) => { onChange(event.target.value); }}
        onKeyDown={(event) => {
          if ((event.key === "ArrowDown" || event.key === "Enter") && !isComposing(event)) {
            event.preventDefault();
            onLeave(event.key === "Enter");
          }
          if (event.key === "Escape" && value !== "") {
            event.preventDefault();
            event.stopPropagation();
            onChange("");
          }
        }}
        className="h-7.75 w-full rounded-control border border-field-line bg-field ps-8 pe-7 text-ui hover-fade [&::-webkit-search-cancel-button]:hidden"
      />
      {value === "" ? null : (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => { onChange(""); }}
          className="absolute end-1 top-1 flex size-6 items-center justify-center rounded-chip text-fg3 hover:text-fg1"
        >
          <X size={14} aria-hidden="true" />
        </button>
      )}
    </div>
  );
}
