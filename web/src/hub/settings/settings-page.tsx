import { Segments } from "@/components/segments";
import { Setting, SettingsCard, SettingsFrame, type SettingsSection } from "@/components/settings-frame";
import { Skeleton } from "@/components/skeleton";
import { Switch } from "@/components/switch";
import type { ShellSettings } from "@/generated/hub";
import { openPageSettings } from "@/hub/shell-actions";
import { useShell } from "@/hub/shell-store";
import { showProjectView, showSettings } from "@/hub/view";
import { HUB_SECTIONS, type HubSection, PAGE_SECTIONS } from "@/lib/hub-messages";
import { changeSettings, useShellSettings } from "./shell-settings";
import { TextSize } from "./text-size";

interface SettingsPageProps {
  section: HubSection;
}

/** What the shell itself can be set to; models and rules are drawn by the selected project's page. */
export function SettingsPage({ section }: SettingsPageProps) {
  const selected = useShell((shell) => shell.selected);
  const settings = useShellSettings();
  const onSection = (next: SettingsSection) => {
    if (next === "appearance" || next === "notifications") {
      showSettings(next);
    } else if (selected !== null) {
      openPageSettings(selected, next);
    }
  };
  return (
    <SettingsFrame
      section={section}
      sections={selected === null ? HUB_SECTIONS : [...PAGE_SECTIONS, ...HUB_SECTIONS]}
      onSection={onSection}
      onClose={showProjectView}
    >
      {settings === null ? (
        <Skeleton className="h-24 w-full rounded-card" />
      ) : section === "appearance" ? (
        <Appearance settings={settings} />
      ) : (
        <Notifications settings={settings} />
      )}
    </SettingsFrame>
  );
}

const THEMES = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

function Appearance({ settings }: { settings: ShellSettings }) {
  return (
    <SettingsCard>
      <Setting title="Look" description="Lampblack or plaster, in every project.">
        <Segments
          label="Look"
          segments={THEMES}
          value={settings.theme}
          onChange={(theme) => void changeSettings({ theme })}
        />
      </Setting>
      <Setting title="Size of text" description="Everything grows with it. Ctrl and + still zoom a browser as well.">
        <TextSize percent={settings.text_percent} onChange={(text_percent) => void changeSettings({ text_percent })} />
      </Setting>
    </SettingsCard>
  );
}

const AFTER = [10, 30, 60, 300] as const;

function afterWords(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : `${seconds / 60} min`;
}

function Notifications({ settings: { notifications } }: { settings: ShellSettings }) {
  const change = (part: Partial<ShellSettings["notifications"]>) => void changeSettings({ notifications: part });
  const choices = [...new Set([...AFTER, notifications.finished_after_seconds])].sort((a, b) => a - b);
  return (
    <SettingsCard>
      <Setting
        title="A run needs you"
        description="It asks to run or change something, or has a question. Not while its session is in front."
      >
        <Switch label="Tell me when a run needs me" on={notifications.needs_you} onChange={(needs_you) => { change({ needs_you }); }} />
      </Setting>
      <Setting title="A run failed, or a daemon stopped" description="Not while its session is in front.">
        <Switch label="Tell me when a run failed" on={notifications.failed} onChange={(failed) => { change({ failed }); }} />
      </Setting>
      <Setting title="A run finished" description="Only while Lararium is not in front.">
        <Switch label="Tell me when a run finished" on={notifications.finished} onChange={(finished) => { change({ finished }); }} />
      </Setting>
      {notifications.finished ? (
        <Setting title="…and took longer than" description="What is over at once is not worth a word.">
          <Segments
            label="How long a run must have taken"
            segments={choices.map((seconds) => ({ value: String(seconds), label: afterWords(seconds) }))}
            value={String(notifications.finished_after_seconds)}
            onChange={(value) => { change({ finished_after_seconds: Number(value) }); }}
          />
        </Setting>
      ) : null}
    </SettingsCard>
  );
}
