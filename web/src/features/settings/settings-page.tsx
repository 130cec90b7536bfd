import { SettingsFrame, type SettingsSection } from "@/components/settings-frame";
import { isFramed, tellHub } from "@/lib/hub-link";
import { HUB_SECTIONS, PAGE_SECTIONS, type PageSection } from "@/lib/hub-messages";
import { FolderSettings } from "./folder-settings";
import { ModelSettings } from "./model-settings";
import { closeSettings, openSettings } from "./opened";
import { PermissionSettings } from "./permission-settings";

interface SettingsPageProps {
  section: PageSection;
  /** The project's name; "" while it is not known. */
  project: string;
  /** The project's folder; "" while it is not known. */
  folder: string;
  /** Opens the page that adds a model server. */
  onAddModel: () => void;
}

/** What this project's daemon can be set to; the shell's own settings are the hub's. */
export function SettingsPage({ section, project, folder, onAddModel }: SettingsPageProps) {
  const onSection = (next: SettingsSection) => {
    const own = PAGE_SECTIONS.find((each) => each === next);
    if (own !== undefined) {
      openSettings(own);
    } else if (next === "appearance" || next === "notifications") {
      closeSettings();
      tellHub({ type: "settings.wanted", section: next });
    }
  };
  return (
    <SettingsFrame
      section={section}
      sections={isFramed ? [...PAGE_SECTIONS, ...HUB_SECTIONS] : PAGE_SECTIONS}
      onSection={onSection}
      onClose={closeSettings}
      scope={section === "models" ? undefined : project}
    >
      {section === "models" ? <ModelSettings project={project} onAdd={onAddModel} /> : null}
      {section === "permissions" ? <PermissionSettings /> : null}
      {section === "folder" ? <FolderSettings folder={folder} /> : null}
    </SettingsFrame>
  );
}
