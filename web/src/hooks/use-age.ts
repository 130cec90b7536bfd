import { useEffect, useState } from "react";

const STEP_MS = 5_000;

/** Says how long ago `since` (RFC 3339) was: "41 s ago", "5 min ago", then the clock. */
export function useAge(since: string): string {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), STEP_MS);
    return () => clearInterval(timer);
  }, []);
  return ageOf(since, now);
}

/** The age as words; `now` in milliseconds. */
export function ageOf(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  if (seconds < 5) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  return `at ${new Date(since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}`;
}
