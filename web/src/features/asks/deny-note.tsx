import { useState } from "react";
import { Button } from "@/components/button";

interface DenyNoteProps {
  onSend: (note: string) => void;
  onCancel: () => void;
}

/** A denial that tells the agent what to do instead. */
export function DenyNote({ onSend, onCancel }: DenyNoteProps) {
  const [note, setNote] = useState("");
  return (
    <form
      className="flex items-center gap-2 small:flex-col small:items-stretch"
      onSubmit={(event) => {
        event.preventDefault();
        onSend(note.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.stopPropagation();
          onCancel();
        }
      }}
    >
      <input
        autoFocus
        value={note}
        maxLength={4000}
        onChange={(event) => setNote(event.target.value)}
        placeholder="What should it do instead?"
        aria-label="Note to the agent"
        className="h-8 min-w-0 grow rounded-control border border-line3 bg-bg1 px-2.5 text-ui"
      />
      <Button type="submit" variant="danger">
        Deny
      </Button>
      <Button variant="quiet" onClick={onCancel}>
        Back
      </Button>
    </form>
  );
}
