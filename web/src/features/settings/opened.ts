/** Which section of the settings the workspace's page shows. */
import { create } from "zustand";
import type { PageSection } from "@/lib/hub-messages";

interface Settings {
  /** null: the session is shown. */
  section: PageSection | null;
}

export const useSettings = create<Settings>()(() => ({ section: null }));

export function openSettings(section: PageSection): void {
  useSettings.setState({ section });
}

export function closeSettings(): void {
  useSettings.setState({ section: null });
}
