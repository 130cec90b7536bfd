/** What a person approves, as text that hides nothing. Pure. */

// Invisible, bidirectional and control characters, the tag block included.
const HIDDEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;

/** Gives the text with every character that cannot be seen written as an escape. */
export function revealHidden(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** The first line of `shown` (folder or path) and the rest (command or diff). */
export function splitShown(shown: string): { head: string; body: string } {
  const end = shown.indexOf("\n");
  return end === -1 ? { head: "", body: shown } : { head: shown.slice(0, end), body: shown.slice(end + 1) };
}
