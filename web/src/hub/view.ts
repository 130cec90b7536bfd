/** What stands in the sheet beside the rail, and whether the palette lies over it. */
import { create } from "zustand";
import type { HubSection } from "@/lib/hub-messages";
import { closeAsks } from "@/lib/toasts";

export type View = { is: "project" } | { is: "inbox" } | { is: "settings"; section: HubSection };

interface Shown {
  view: View;
  palette: boolean;
}

export const useView = create<Shown>()(() => ({ view: { is: "project" }, palette: false }));

const show = (view: View) => {
  useView.setState({ view, palette: false });
};

/** Show the page of the selected project. */
export function showProjectView(): void {
  show({ is: "project" });
}

export function showInbox(): void {
  closeAsks();
  show({ is: "inbox" });
}

export function showSettings(section: HubSection): void {
  show({ is: "settings", section });
}

export function openPalette(): void {
  useView.setState({ palette: true });
}

export function closePalette(): void {
  useView.setState({ palette: false });
}
