/** Theme and size of text, as attributes of the document: the tokens and rems follow. */
import type { Theme } from "@/lib/hub-messages";

export const SMALLEST_TEXT = 85;
export const LARGEST_TEXT = 150;

/** `percent` of the browser's own size; out of bounds counts as the nearest bound. */
export function paintAppearance(theme: Theme, percent: number): void {
  const root = document.documentElement;
  if (theme === "system") {
    delete root.dataset["theme"];
  } else {
    root.dataset["theme"] = theme;
  }
  const bounded = Math.min(Math.max(percent, SMALLEST_TEXT), LARGEST_TEXT);
  root.style.fontSize = bounded === 100 ? "" : `${bounded}%`;
}
