/** The shrine with its fire, large: the picture of the first run. */
export function Hearth({ className = "" }: { className?: string }) {
  return (
    <svg viewBox="0 0 260 260" fill="none" aria-hidden="true" className={className}>
      <defs>
        <radialGradient id="hearth-glow" cx="0.5" cy="0.62" r="0.5">
          <stop offset="0" className="[stop-color:var(--color-ember-solid)] [stop-opacity:0.34]" />
          <stop offset="1" className="[stop-color:var(--color-ember-solid)] [stop-opacity:0]" />
        </radialGradient>
      </defs>
      <rect width="260" height="260" fill="url(#hearth-glow)" />
      <g stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" strokeLinejoin="round">
        <path d="M6 90 130 8l124 82z" />
        <path d="M30 83 130 25l100 58z" opacity="0.45" />
        <path d="M18 104h224M24 116h212" />
        <path d="M41 117v110M64 117v110M196 117v110M219 117v110" />
        <path d="M52 123v99M208 123v99" opacity="0.4" strokeWidth="1.6" />
        <path d="M28 227h50M182 227h50M14 243h232M2 258h256" />
      </g>
      <path
        transform="translate(130 224) scale(7.6) translate(-16.1 -26.1)"
        d="M16.1 14.2c3 3 4.3 5.2 4.3 7.5a4.4 4.4 0 0 1-8.8 0c0-1.5.7-2.8 1.7-3.9.4.9.9 1.5 1.5 1.9.1-2.1.6-3.8 1.3-5.5z"
        className="fill-ember-solid"
      />
      <path
        transform="translate(132 222) scale(3.1) translate(-16.1 -26.1)"
        d="M16.1 14.2c3 3 4.3 5.2 4.3 7.5a4.4 4.4 0 0 1-8.8 0c0-1.5.7-2.8 1.7-3.9.4.9.9 1.5 1.5 1.9.1-2.1.6-3.8 1.3-5.5z"
        fill="currentColor"
        opacity="0.55"
      />
    </svg>
  );
}
