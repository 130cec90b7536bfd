import { isComposing } from "@/lib/composing";

/** `queue`: send when the run has ended, where `send` would speak into it. */
export type ComposerIntent = "send" | "queue" | "next-mode" | null;

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
    return event.altKey ? "queue" : "send";
  }
  const alone = !event.ctrlKey && !event.metaKey && !event.altKey;
  return event.key === "Tab" && event.shiftKey && alone ? "next-mode" : null;
}
