/** What a screen reader hears: milestones politely and seldom, asks and trouble at once. */
import { create } from "zustand";

const BETWEEN_MS = 3_000;

interface Announcements {
  polite: string;
  assertive: string;
}

export const useAnnouncements = create<Announcements>()(() => ({ polite: "", assertive: "" }));

let waiting: string[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function speak(): void {
  timer = undefined;
  if (waiting.length > 0) {
    useAnnouncements.setState({ polite: waiting.join(". ") });
    waiting = [];
    timer = setTimeout(speak, BETWEEN_MS);
  }
}

/** Say a milestone; those that come within three seconds are said together. */
export function announce(text: string): void {
  waiting.push(text);
  if (timer === undefined) {
    speak();
  }
}

/** Say at once what cannot wait. */
export function announceNow(text: string): void {
  useAnnouncements.setState({ assertive: text });
}
