import { Bell, Cpu, FolderLock, type LucideIcon, Palette, Shield, X } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { IconButton } from "@/components/icon-button";
import { useEscape } from "@/hooks/use-escape";

export type SettingsSection = "models" | "permissions" | "folder" | "appearance" | "notifications";

interface Entry {
  section: SettingsSection;
  label: string;
  icon: LucideIcon;
}

const GROUPS: readonly { name: string; entries: readonly Entry[] }[] = [
  {
    name: "Agents",
    entries: [
      { section: "models", label: "Models and providers", icon: Cpu },
      { section: "permissions", label: "Permissions", icon: Shield },
      { section: "folder", label: "Trust and instructions", icon: FolderLock },
    ],
  },
  {
    name: "This computer",
    entries: [
      { section: "appearance", label: "Appearance", icon: Palette },
      { section: "notifications", label: "Notifications", icon: Bell },
    ],
  },
];

interface SettingsFrameProps {
  /** What is shown. */
  section: SettingsSection;
  /** What can be gone to from here. */
  sections: readonly SettingsSection[];
  onSection: (section: SettingsSection) => void;
  onClose: () => void;
  /** At the end of the header: what the settings are of. */
  scope?: string;
  children: ReactNode;
}

const labelOf = (section: SettingsSection) =>
  GROUPS.flatMap(({ entries }) => entries).find((entry) => entry.section === section)?.label ?? "";

/** The settings: sections at the side, one of them beside. Both pages draw their own in it. */
export function SettingsFrame({ section, sections, onSection, onClose, scope, children }: SettingsFrameProps) {
  const nav = useRef<HTMLElement>(null);
  useEscape(onClose);
  useEffect(() => {
    nav.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
  }, [section]);
  const groups = GROUPS.map(({ name, entries }) => ({
    name,
    entries: entries.filter((entry) => sections.includes(entry.section)),
  })).filter(({ entries }) => entries.length > 0);
  return (
    <section aria-label="Settings" className="@container flex h-full min-w-0 grow">
      <div className="flex size-full @max-[720px]:flex-col">
        <nav
          ref={nav}
          data-region="settings"
          aria-label="Settings"
          className="flex w-57 shrink-0 flex-col overflow-y-auto border-e border-line1 bg-side px-2.5 pb-3 @max-[720px]:w-full @max-[720px]:flex-row @max-[720px]:items-center @max-[720px]:border-e-0 @max-[720px]:border-b @max-[720px]:pb-0"
        >
          <h2 className="flex h-13 shrink-0 items-center px-2.5 text-read font-semibold @max-[720px]:hidden">Settings</h2>
          {groups.map(({ name, entries }) => (
            <section key={name} aria-label={name} className="mb-4 @max-[720px]:mb-0 @max-[720px]:contents">
              <h3 className="px-2.5 pb-1.5 text-label font-medium text-fg3 @max-[720px]:hidden">{name}</h3>
              <ul className="flex flex-col gap-px @max-[720px]:contents">
                {entries.map((entry) => (
                  <li key={entry.section}>
                    <button
                      type="button"
                      aria-current={entry.section === section ? "page" : undefined}
                      onClick={() => { onSection(entry.section); }}
                      className={`flex h-7.5 w-full items-center gap-2.5 rounded-control border px-2.5 text-ui whitespace-nowrap hover-fade @max-[720px]:my-1.5 ${entry.section === section ? "border-selected-line bg-selected font-semibold shadow-control" : "border-transparent text-fg2 hover:bg-hover hover:text-fg1"}`}
                    >
                      <entry.icon size={16} strokeWidth={1.6} aria-hidden="true" className="shrink-0 @max-[560px]:hidden" />
                      {entry.label}
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </nav>
        <div className="flex min-h-0 min-w-0 grow flex-col">
          <header className="flex h-13 shrink-0 items-center gap-3 border-b border-line1 ps-5 pe-3">
            <h1 className="grow truncate text-read font-semibold">{labelOf(section)}</h1>
            {scope === undefined ? null : <span className="truncate text-meta text-fg3">{scope}</span>}
            <IconButton icon={X} label="Close the settings" keys="Esc" onClick={onClose} />
          </header>
          <div data-region="settings-section" className="min-h-0 grow overflow-y-auto">
            <div className="mx-auto flex w-[calc(100%-2.5rem)] max-w-194 flex-col gap-7 pt-5.5 pb-12">{children}</div>
          </div>
        </div>
      </div>
    </section>
  );
}

interface SettingProps {
  title: string;
  description?: ReactNode;
  /** The control, at the end of the line. */
  children: ReactNode;
}

/** One setting: what it is, what it means, and its control. */
export function Setting({ title, description, children }: SettingProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-2.5 border-t border-line1 px-4.5 py-3.5 first:border-t-0">
      <div className="min-w-56 grow basis-0">
        <div className="text-ui font-semibold">{title}</div>
        {description === undefined ? null : <p className="mt-0.5 text-meta text-pretty text-fg2">{description}</p>}
      </div>
      {children}
    </div>
  );
}

/** A card that holds settings. */
export function SettingsCard({ children }: { children: ReactNode }) {
  return <div className="overflow-hidden rounded-card border border-line1 bg-bg2 shadow-control">{children}</div>;
}
