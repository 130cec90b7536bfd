interface LogoProps {
  /** Edge in pixels. */
  size?: number;
  /** Lines only, for empty states. */
  outline?: boolean;
}

const FLAME =
  "M16.1 14.2c3 3 4.3 5.2 4.3 7.5a4.4 4.4 0 0 1-8.8 0c0-1.5.7-2.8 1.7-3.9.4.9.9 1.5 1.5 1.9.1-2.1.6-3.8 1.3-5.5z";

/** The shrine: pediment, two posts, a base, and the flame where the god stands. */
export function Logo({ size = 20, outline = false }: LogoProps) {
  if (outline) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 32 32"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.3}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d="M16 3 29.4 11H2.6z" />
        <path d="M5.8 14.6v10M26.2 14.6v10M3 28.6h26" />
        <path d={FLAME} />
      </svg>
    );
  }
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <g stroke="currentColor" strokeLinecap="round" strokeLinejoin="round">
        <path d="M16 4.4 28.4 11.2H3.6z" fill="currentColor" strokeWidth={2.4} />
        <path d="M6.4 16v8.6M25.6 16v8.6" strokeWidth={3} />
        <path d="M4 28.6h24" strokeWidth={2.8} />
      </g>
      <path d={FLAME} className="fill-ember-solid" />
    </svg>
  );
}
