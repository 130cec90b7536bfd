import { useState } from "react";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { hostOf, isTrusted, trustLink } from "@/hub/link-trust";
import { openExternal } from "@/hub/shell-actions";
import { type LinkRequest, findWorkspace } from "@/hub/shell-model";
import { changeShell, useShell } from "@/hub/shell-store";

function close(): void {
  changeShell((shell) => ({ ...shell, link: null }));
}

/** A workspace page asks to open a link: shown first, unless its host is known there. */
export function requestLink(workspace: string, url: string): void {
  if (hostOf(url) === null) {
    return;
  }
  if (isTrusted(workspace, url) && useShell.getState().state?.window === true) {
    void openExternal(url);
    return;
  }
  changeShell((shell) => ({ ...shell, link: { workspace, url } }));
}

function ConfirmLink({ link }: { link: LinkRequest }) {
  const [remember, setRemember] = useState(false);
  const project = useShell((shell) => findWorkspace(shell, link.workspace)?.name ?? "this project");
  const hasWindow = useShell((shell) => shell.state?.window === true);
  const host = hostOf(link.url) ?? "";
  const open = () => {
    if (remember) {
      trustLink(link.workspace, link.url);
    }
    if (hasWindow) {
      void openExternal(link.url);
    }
    close();
  };
  return (
    <Dialog
      open
      onClose={close}
      title={`Open ${host}?`}
      description={`A page of ${project} links there. The address itself can carry what the agent has read.`}
      footer={
        <>
          <Button variant="quiet" onClick={close}>
            Cancel
          </Button>
          {hasWindow ? (
            <Button variant="primary" onClick={open}>
              Open in the browser
            </Button>
          ) : (
            // Without a window the browser that shows this page opens it.
            <a
              href={link.url}
              target="_blank"
              rel="noopener noreferrer"
              onClick={open}
              className="inline-flex h-8 items-center rounded-control bg-ink px-3 text-ui font-semibold text-on-ink hover:bg-ink/88"
            >
              Open in a new tab
            </a>
          )}
        </>
      }
    >
      <p className="max-h-60 overflow-y-auto rounded-well border border-line1 bg-well px-3 py-2.5 font-mono text-code break-all select-text">
        {link.url}
      </p>
      <label className="mt-3 flex items-center gap-2 text-ui text-fg2">
        <input
          type="checkbox"
          checked={remember}
          onChange={(event) => {
            setRemember(event.target.checked);
          }}
        />
        Do not ask again for {host} in {project}
      </label>
    </Dialog>
  );
}

/** Shows host and full address of a link before anything opens. */
export function LinkDialog() {
  const link = useShell((shell) => shell.link);
  return link === null ? null : <ConfirmLink key={link.url} link={link} />;
}
