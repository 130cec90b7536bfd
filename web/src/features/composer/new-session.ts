/** How the session is set that begins with the next message. */
import { create } from "zustand";
import type { Mode } from "@/lib/protocol";

interface NewSession {
  mode: Mode;
  /** null: the default model. */
  model: string | null;
}

export const useNewSession = create<NewSession>()(() => ({ mode: "default", model: null }));

/** Take the settings; yolo is for one session and is asked for anew. */
export function newSessionSettings(): NewSession {
  const { mode, model } = useNewSession.getState();
  if (mode === "yolo") {
    useNewSession.setState({ mode: "default" });
  }
  return { mode, model };
}
