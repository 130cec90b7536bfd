import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Cpu, Plus, RefreshCw } from "lucide-react";
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/components/menu";
import type { ModelInfo, ProfileInfo } from "@/generated/daemon";
import { profilesQuery } from "@/lib/profiles";
import { lookForModels, modelsQuery, statusQuery } from "@/lib/queries";
import { PickerButton } from "./picker-button";

interface ModelMenuProps {
  /** null: the default. */
  model: string | null;
  onChange: (model: string | null) => void;
  /** Opens the page that adds a model server. */
  onAdd: () => void;
}

/** Radix' values are words: this one stands for "the default". No model has an empty name. */
const DEFAULT = "";

/** Which model answers. */
export function ModelMenu({ model, onChange, onAdd }: ModelMenuProps) {
  const client = useQueryClient();
  const { data: models } = useQuery(modelsQuery);
  const { data: status } = useQuery(statusQuery);
  const others = useOthers();
  const standard = models?.default ?? (status?.model.name || null);
  const label = model ?? standard ?? "No model";
  const known = models?.items ?? [];
  const items: ModelInfo[] =
    model === null || [...known.map(({ name }) => name), ...others.map(valueOf)].includes(model)
      ? known
      : [unknown(model), ...known];
  return (
    <Menu side="top" label="Model" trigger={<PickerButton icon={Cpu} label={label} subject="Model" />}>
      <MenuLabel>Model of this session</MenuLabel>
      <MenuChoices
        value={model ?? DEFAULT}
        label="Model"
        onChange={(value) => { onChange(value === DEFAULT ? null : value); }}
      >
        <MenuChoice value={DEFAULT} label="Default" description={standard ?? "None yet"} />
        {items.length === 0 ? null : <MenuSeparator />}
        {items.map((item) => (
          <MenuChoice key={item.name} value={item.name} label={item.name} description={held(item)} />
        ))}
      </MenuChoices>
      <OtherServers profiles={others} model={model} onChange={onChange} />
      {models?.problem ? <p className="max-w-72 px-2.5 py-1.5 text-meta text-fg3">{models.problem}</p> : null}
      <MenuSeparator />
      <MenuItem icon={RefreshCw} label="Look again" onSelect={() => void lookForModels(client)} />
      <MenuItem icon={Plus} label="Add a model…" onSelect={onAdd} />
    </Menu>
  );
}

/** A model that the server did not list: nothing is known of it. */
function unknown(name: string): ModelInfo {
  return { name, context_window: null, calls_tools: null, reasoning: null, images: null };
}

/** Saved servers that can answer a session that names them, beside the one in use. */
function useOthers(): ProfileInfo[] {
  const { data } = useQuery(profilesQuery);
  return (data?.items ?? []).filter(
    ({ kind, in_use: inUse, problem, model }) => kind !== "tour" && !inUse && problem === "" && model !== "",
  );
}

const valueOf = ({ name, model }: ProfileInfo) => `${name}/${model}`;

interface OtherServersProps {
  profiles: readonly ProfileInfo[];
  model: string | null;
  onChange: (model: string | null) => void;
}

function OtherServers({ profiles, model, onChange }: OtherServersProps) {
  if (profiles.length === 0) {
    return null;
  }
  return (
    <>
      <MenuSeparator />
      <MenuLabel>Other servers</MenuLabel>
      <MenuChoices value={model ?? DEFAULT} label="Models of other servers" onChange={onChange}>
        {profiles.map((profile) => (
          <MenuChoice key={profile.name} value={valueOf(profile)} label={profile.model} description={profile.name} />
        ))}
      </MenuChoices>
    </>
  );
}

function held({ context_window: tokens }: ModelInfo): string | undefined {
  return tokens === null ? undefined : `holds ${Math.round(tokens / 1000)}k tokens`;
}
