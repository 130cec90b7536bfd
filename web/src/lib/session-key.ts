/**
 * The page's bearer: in memory, and in `sessionStorage` so that a reload of this tab keeps it.
 * It dies with the server that gave it. No cookie: one of 127.0.0.1:A would reach 127.0.0.1:B.
 */
const STORED_AS = "lararium-session-key";

let held: string | null = null;

export function sessionKey(): string | null {
  held ??= sessionStorage.getItem(STORED_AS);
  return held;
}

export function keepSessionKey(key: string): void {
  held = key;
  sessionStorage.setItem(STORED_AS, key);
}

export function forgetSessionKey(): void {
  held = null;
  sessionStorage.removeItem(STORED_AS);
}
