import { Search, X } from "lucide-react";

interface SearchFieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** Narrows the list to titles that hold the words. */
export function SearchField({ value, onChange }: SearchFieldProps) {
  return (
    <div className="relative mx-2.5 shrink-0">
      <Search
        size={15}
        strokeWidth={1.6}
        aria-hidden="true"
        className="pointer-events-none absolute start-2.5 top-2 text-fg3"
      />
      <input
        type="search"
        data-search-sessions
        aria-label="Find a session by its title"
        placeholder="Find a session"
        value={value}
        onChange={(event) => { onChange(event.target.value); }}
        onKeyDown={(event) => {
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
