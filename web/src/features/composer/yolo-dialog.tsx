import { useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { isComposing } from "@/lib/composing";

interface YoloDialogProps {
  open: boolean;
  onClose: () => void;
  onConfirmed: () => void;
}

/** Yolo is typed, never clicked into. */
export function YoloDialog({ open, onClose, onConfirmed }: YoloDialogProps) {
  const [typed, setTyped] = useState("");
  const ready = typed.trim().toLowerCase() === "yolo";
  const close = () => {
    setTyped("");
    onClose();
  };
  const confirm = () => {
    setTyped("");
    onConfirmed();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Run everything without asking?"
      description="In this session the agent will run any command and change any file your account can, until you turn it off. Deny rules still hold."
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Keep asking
          </Button>
          <Button variant="danger" disabled={!ready} onClick={confirm}>
            Turn on Yolo
          </Button>
        </>
      }
    >
      <label className="flex flex-col gap-1.5 text-ui text-fg2">
        <span>
          Type <strong className="font-semibold text-fg1">yolo</strong> to turn it on
        </span>
        <input
          value={typed}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          onChange={(event) => { setTyped(event.target.value); }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !isComposing(event) && ready) {
              event.preventDefault();
              confirm();
            }
          }}
          className="h-9 rounded-control border border-line3 bg-bg2 px-3 font-mono text-ui text-fg1"
        />
      </label>
    </Dialog>
  );
}
