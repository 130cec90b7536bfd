import { create } from "zustand";

/** The sessions whose steps stand open, as long as the page lives. */
const useOpened = create<Readonly<Record<string, boolean>>>()(() => ({}));

/** Whether the steps of a session stand open, and what changes it. */
export function useTodoOpen(sessionId: string): [boolean, (open: boolean) => void] {
  const open = useOpened((sessions) => sessions[sessionId] === true);
  return [open, (next) => { useOpened.setState({ [sessionId]: next }); }];
}
