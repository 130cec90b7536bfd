import { useCallback, useEffect } from "react";
import { focusFrame, keepElement, tellFrame } from "@/hub/frame-link";
import { findWorkspace } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { useView } from "@/hub/view";

interface FrameViewProps {
  id: string;
  url: string;
  name: string;
  shown: boolean;
}

function FrameView({ id, url, name, shown }: FrameViewProps) {
  // A hidden frame is not told that it is hidden, and keeps the keyboard: both are said by hand.
  useEffect(() => {
    tellFrame(id, { type: "visible", visible: shown });
    if (shown) {
      focusFrame(id);
    }
  }, [id, shown]);
  const keep = useCallback(
    (element: HTMLIFrameElement) => {
      keepElement(id, element);
      return () => {
        keepElement(id, null);
      };
    },
    [id],
  );
  return (
    <iframe
      ref={keep}
      src={url}
      title={name}
      sandbox="allow-scripts allow-same-origin allow-forms"
      allow="clipboard-write; fullscreen"
      inert={!shown}
      className={`absolute inset-0 size-full rounded-sheet border-0 bg-bg1 ${shown ? "" : "invisible"}`}
    />
  );
}

/** The kept pages of the projects; `visibility` keeps what `display` would throw away. */
export function FrameStack() {
  const shell = useShell();
  const inProject = useView(({ view }) => view.is === "project");
  return Object.entries(shell.frames).map(([id, frame]) => (
    <FrameView
      key={`${id} ${frame.origin}`}
      id={id}
      url={frame.url}
      name={findWorkspace(shell, id)?.name ?? "Project"}
      shown={inProject && id === shell.selected}
    />
  ));
}
