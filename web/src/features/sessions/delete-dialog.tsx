import { useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { sentenceOf } from "@/lib/api-client";
import type { SessionSummary } from "@/lib/protocol";
import { deleteSession } from "@/lib/session-actions";
import { titleOf } from "./groups";

interface DeleteDialogProps {
  row: SessionSummary | null;
  onClose: () => void;
  onDeleted: (id: string) => void;
}

/** Deleting cannot be undone, so it is asked once, with what stays. */
export function DeleteDialog({ row, onClose, onDeleted }: DeleteDialogProps) {
  const [problem, setProblem] = useState("");
  const close = () => {
    setProblem("");
    onClose();
  };
  const remove = async (id: string) => {
    try {
      await deleteSession(id);
      close();
      onDeleted(id);
    } catch (error) {
      setProblem(sentenceOf(error));
    }
  };
  return (
    <Dialog
      open={row !== null}
      onClose={close}
      title={row === null ? "" : `Delete “${titleOf(row)}”?`}
      description="Its messages go for good. Files that it changed in the project stay as they are."
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Keep it
          </Button>
          <Button variant="danger" onClick={() => row !== null && void remove(row.id)}>
            Delete the session
          </Button>
        </>
      }
    >
      {problem === "" ? null : (
        <p role="alert" className="text-ui text-bad">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
