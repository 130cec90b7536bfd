/** Keys of the session list: one stop for Tab, arrows inside. */

/** Give the row that a key moves to; null when the key does not move. */
export function movedTo(key: string, ids: readonly string[], from: string | null): string | null {
  const place = from === null ? -1 : ids.indexOf(from);
  switch (key) {
    case "ArrowDown":
    case "j":
      return ids[Math.min(place + 1, ids.length - 1)] ?? null;
    case "ArrowUp":
    case "k":
      return ids[Math.max(place - 1, 0)] ?? null;
    case "Home":
      return ids[0] ?? null;
    case "End":
      return ids.at(-1) ?? null;
    default:
      return null;
  }
}
