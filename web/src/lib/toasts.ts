import { create } from "zustand";

export interface Toast {
  id: number;
  text: string;
  tone: "plain" | "bad" | "ember";
  action?: { label: string; onSelect: () => void };
}

interface Toasts {
  items: readonly Toast[];
  close: (id: number) => void;
}

const MOST_AT_ONCE = 2;
let lastId = 0;

export const useToasts = create<Toasts>()((set) => ({
  items: [],
  close: (id) => {
    set((state) => ({ items: state.items.filter((toast) => toast.id !== id) }));
  },
}));

/** Tell the result of what the person just did; the oldest goes when a third comes. */
export function showToast(text: string, options: Partial<Pick<Toast, "tone" | "action">> = {}): void {
  lastId += 1;
  const toast: Toast = { id: lastId, text, tone: options.tone ?? "plain", action: options.action };
  useToasts.setState((state) => ({ items: [...state.items, toast].slice(-MOST_AT_ONCE) }));
}

/** Close what says that something waits: it is being looked at. */
export function closeAsks(): void {
  useToasts.setState((state) => ({ items: state.items.filter(({ tone }) => tone !== "ember") }));
}
