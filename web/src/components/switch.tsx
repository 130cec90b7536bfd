interface SwitchProps {
  label: string;
  on: boolean;
  disabled?: boolean;
  onChange: (on: boolean) => void;
}

/** On or off, at once. */
export function Switch({ label, on, disabled, onChange }: SwitchProps) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={label}
      disabled={disabled}
      onClick={() => { onChange(!on); }}
      className={`flex h-5.5 w-9.5 shrink-0 items-center rounded-full border p-0.5 hover-fade disabled:opacity-50 ${on ? "justify-end border-ink bg-ink" : "justify-start border-line3 bg-bg3"}`}
    >
      <span className={`size-4 rounded-full ${on ? "bg-on-ink" : "bg-fg3"}`} />
    </button>
  );
}
