import { type FormEvent, useId, useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import type { Workspace } from "@/generated/hub";
import { renameProject } from "@/hub/shell-actions";

/** Takes the new name of a project whose tile has no room for a field. */
export function RenameDialog({ workspace, onClose }: { workspace: Workspace; onClose: () => void }) {
  const id = useId();
  const [name, setName] = useState(workspace.name);
  const said = name.trim();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onClose();
    if (said !== workspace.name) {
      void renameProject(workspace.id, said);
    }
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rename ${workspace.name}`}
      description="Its folder keeps its own name."
      footer={
        <>
          <Button variant="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={id} variant="primary" disabled={said === ""}>
            Rename
          </Button>
        </>
      }
    >
      <form id={id} onSubmit={onSubmit}>
        <input
          aria-label="Name of the project"
          value={name}
          maxLength={120}
          spellCheck={false}
          autoComplete="off"
          onFocus={(event) => { event.target.select(); }}
          onChange={(event) => { setName(event.target.value); }}
          className="h-9 w-full rounded-control border border-line3 bg-bg2 px-3 text-ui"
        />
      </form>
    </Dialog>
  );
}
