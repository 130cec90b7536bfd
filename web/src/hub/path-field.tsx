import { useId } from "react";

interface PathFieldProps {
  value: string;
  /** Why the path was not taken; "" for none. */
  error: string;
  onChange: (value: string) => void;
}

/** A field for the full path of a folder. */
export function PathField({ value, error, onChange }: PathFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="text-meta font-medium text-fg2">
        Path of the folder
      </label>
      <input
        id={id}
        type="text"
        value={value}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        placeholder="~/code/atlas-api"
        aria-invalid={error !== ""}
        aria-describedby={`${id}-error`}
        onChange={(event) => {
          onChange(event.target.value);
        }}
        className="mt-1.5 h-9 w-full rounded-control border border-line3 bg-bg2 px-3 font-mono text-code aria-invalid:border-bad"
      />
      <p id={`${id}-error`} role="alert" className="mt-2 text-ui text-pretty text-bad empty:hidden">
        {error}
      </p>
    </div>
  );
}
