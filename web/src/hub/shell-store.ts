/** The one store of the hub's page. */
import { create } from "zustand";
import { EMPTY_SHELL, type Shell } from "@/hub/shell-model";

export const useShell = create<Shell>()(() => EMPTY_SHELL);

/** Change the shell by a pure step of `shell-model`. */
export function changeShell(step: (shell: Shell) => Shell): void {
  useShell.setState((shell) => step(shell));
}
