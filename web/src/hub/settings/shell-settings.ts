/** The person's settings of the shell: the hub keeps them, every page follows. */
import { useEffect } from "react";
import type { ShellSettings, ShellSettingsPatchInput } from "@/generated/hub";
import { tellFrame } from "@/hub/frame-link";
import { sayHub } from "@/hub/shell-actions";
import { changeShell, useShell } from "@/hub/shell-store";
import { api } from "@/lib/api-client";
import { useFrame } from "@/lib/frame-state";
import { showToast } from "@/lib/toasts";

/** null until the hub has spoken. */
export function useShellSettings(): ShellSettings | null {
  return useShell((shell) => shell.state?.settings ?? null);
}

function put(settings: ShellSettings): void {
  changeShell((shell) => (shell.state === null ? shell : { ...shell, state: { ...shell.state, settings } }));
}

/** Change a setting: shown at once, taken back when the hub does not keep it. */
export async function changeSettings(change: ShellSettingsPatchInput): Promise<void> {
  const before = useShell.getState().state?.settings;
  if (before === undefined) {
    return;
  }
  const { notifications, ...rest } = change;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value != null));
  put({
    ...before,
    ...given,
    notifications: { ...before.notifications, ...(notifications as Partial<ShellSettings["notifications"]> | undefined) },
  });
  try {
    put(await api.patch<ShellSettings>("/api/settings", change));
  } catch (error) {
    put(before);
    showToast(sayHub(error), { tone: "bad" });
  }
}

/** Tell a workspace's page how the person wants to see it. */
export function tellAppearance(id: string): void {
  const settings = useShell.getState().state?.settings;
  if (settings !== undefined) {
    tellFrame(id, { type: "theme", theme: settings.theme });
    tellFrame(id, { type: "text-size", percent: settings.text_percent });
  }
}

/** Paint this page as the person wants it, and tell the pages in it. */
export function useAppearance(): void {
  const settings = useShellSettings();
  const theme = settings?.theme ?? "system";
  const percent = settings?.text_percent ?? 100;
  useEffect(() => {
    useFrame.setState({ theme, textPercent: percent });
    for (const id of Object.keys(useShell.getState().frames)) {
      tellAppearance(id);
    }
  }, [theme, percent]);
}
