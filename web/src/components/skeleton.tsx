/** A grey place for text that comes; appears only when it takes longer than 120 ms. */
export function Skeleton({ className = "" }: { className?: string }) {
  return (
    <div
      aria-hidden="true"
      className={`animate-[lar-fade_140ms_120ms_both] rounded-chip bg-bg3 ${className}`}
    />
  );
}
