import { ArrowRight } from "lucide-react";
import type { KeyboardEvent, RefObject } from "react";
import { Button } from "@/components/button";
import type { InboxAnswerInput } from "@/generated/hub";

/** What a card lets its content do. */
export interface Answering {
  /** An answer is on its way: nothing else may be pressed. */
  sending: boolean;
  /** Keys count: the card has had focus long enough. */
  isArmed: () => boolean;
  answer: (answer: InboxAnswerInput) => void;
  open: () => void;
}

/** Takes the keys of the whole card, whatever in it has the focus. */
export type CardKeysRef = RefObject<((event: KeyboardEvent) => void) | null>;

/** Leads to the session, at the end of a card's buttons. */
export function OpenSession({ onOpen }: { onOpen: () => void }) {
  return (
    <Button variant="quiet" size="small" className="ms-auto" onClick={onOpen}>
      Open session
      <ArrowRight size={15} strokeWidth={1.6} aria-hidden="true" />
    </Button>
  );
}
