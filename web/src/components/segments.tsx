interface Segment<T extends string> {
  value: T;
  label: string;
  count?: number;
}

interface SegmentsProps<T extends string> {
  label: string;
  segments: readonly Segment<T>[];
  value: T;
  onChange: (value: T) => void;
}

/** One of a few, side by side. */
export function Segments<T extends string>({ label, segments, value, onChange }: SegmentsProps<T>) {
  return (
    <div role="radiogroup" aria-label={label} className="flex shrink-0 rounded-control bg-hover p-0.5">
      {segments.map((tab) => (
        <label
          key={tab.value}
          className={`tabular relative flex h-6.5 items-center rounded-chip px-2.5 text-meta hover-fade has-focus-visible:outline-2 has-focus-visible:outline-info ${tab.value === value ? "bg-control font-semibold text-fg1 shadow-control" : "text-fg2 hover:text-fg1"}`}
        >
          <input
            type="radio"
            name={label}
            value={tab.value}
            checked={tab.value === value}
            onChange={() => { onChange(tab.value); }}
            className="absolute inset-0 appearance-none opacity-0"
          />
          {tab.label}
          {tab.count === undefined ? null : ` ${tab.count}`}
        </label>
      ))}
    </div>
  );
}
