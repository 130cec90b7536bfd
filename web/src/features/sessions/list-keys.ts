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

/** Move from the last row into what was found in the text, within it, and back; says whether it did. */
export function moveAmongHits(key: string, from: HTMLElement, list: HTMLElement): boolean {
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  const stops = [...list.querySelectorAll<HTMLElement>("[data-session], [data-hit]")];
  const next = stops[stops.indexOf(from) + step];
  const isHit = (element: HTMLElement | undefined) => element?.dataset["hit"] !== undefined;
  if (step === 0 || !stops.includes(from) || !(isHit(from) || isHit(next))) {
    return false;
  }
  const above = step === -1 && stops[0] === from ? document.querySelector<HTMLElement>("[data-search-sessions]") : null;
  (above ?? next)?.focus();
  return true;
}
