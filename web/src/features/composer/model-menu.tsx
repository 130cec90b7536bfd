import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Cpu, Plus, RefreshCw } from "lucide-react";
import { Menu, MenuChoice, MenuChoices, MenuItem, MenuLabel, MenuSeparator } from "@/components/menu";
import type { ModelInfo } from "@/generated/daemon";
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
  const standard = models?.default ?? (status?.model.name || null);
  const label = model ?? standard ?? "No model";
  const known = models?.items ?? [];
  const items: ModelInfo[] =
    model === null || known.some((item) => item.name === model)
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

function held({ context_window: tokens }: ModelInfo): string | undefined {
  return tokens === null ? undefined : `holds ${Math.round(tokens / 1000)}k tokens`;
}
