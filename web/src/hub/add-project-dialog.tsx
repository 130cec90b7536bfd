import { type FormEvent, useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { PathField } from "@/hub/path-field";
import { addFolder, refusalOf } from "@/hub/shell-actions";
import type { Adding } from "@/hub/shell-model";
import { changeShell, useShell } from "@/hub/shell-store";

function close(): void {
  changeShell((shell) => ({ ...shell, adding: null }));
}

function AddProject({ given }: { given: Adding }) {
  const [path, setPath] = useState(given.path);
  const [refusal, setRefusal] = useState(given.refusal);
  const [sending, setSending] = useState(false);
  const submit = async (nested: boolean) => {
    setSending(true);
    try {
      await addFolder(path.trim(), nested);
      close();
    } catch (error) {
      setRefusal(refusalOf(error));
      setSending(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(false);
  };
  const isInside = refusal?.code === "inside_workspace";
  return (
    <Dialog
      open
      onClose={close}
      title="Open a folder"
      description="It becomes a project of its own, with its own daemon. Nothing in it is changed or run."
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          {isInside ? (
            <Button disabled={sending} onClick={() => void submit(true)}>
              Add as a project of its own
            </Button>
          ) : null}
          <Button type="submit" form="add-project" variant="primary" disabled={sending || isInside || path.trim() === ""}>
            Open folder
          </Button>
        </>
      }
    >
      <form id="add-project" onSubmit={onSubmit}>
        <PathField
          value={path}
          error={refusal?.detail ?? ""}
          onChange={(next) => {
            setPath(next);
            setRefusal(null);
          }}
        />
      </form>
    </Dialog>
  );
}

/** Takes the path of a folder, where there is no native dialog or the folder needs a second word. */
export function AddProjectDialog() {
  const adding = useShell((shell) => shell.adding);
  return adding === null ? null : <AddProject given={adding} />;
}
