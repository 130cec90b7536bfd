import { isComposing } from "@/lib/composing";

export type ComposerIntent = "send" | "next-mode" | null;

interface KeyPress {
  key: string;
  keyCode: number;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  nativeEvent?: { isComposing: boolean };
  isComposing?: boolean;
}

/** Give what a key press in the composer means; null leaves it to the text field. */
export function composerIntent(event: KeyPress): ComposerIntent {
  if (isComposing(event)) {
    return null;
  }
  if (event.key === "Enter" && !event.shiftKey) {
    return "send";
  }
  const alone = !event.ctrlKey && !event.metaKey && !event.altKey;
  return event.key === "Tab" && event.shiftKey && alone ? "next-mode" : null;
}
