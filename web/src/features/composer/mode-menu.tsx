import { useState } from "react";
import { Menu, MenuChoice, MenuChoices, MenuLabel, MenuSeparator } from "@/components/menu";
import type { Mode } from "@/lib/protocol";
import { MODES } from "./modes";
import { PickerButton } from "./picker-button";
import { YoloDialog } from "./yolo-dialog";

interface ModeMenuProps {
  mode: Mode;
  onChange: (mode: Mode) => void;
}

/** How much the agent may do without asking. */
export function ModeMenu({ mode, onChange }: ModeMenuProps) {
  const [confirming, setConfirming] = useState(false);
  const { label, icon } = MODES[mode];
  const choose = (value: string) => {
    if (value === "yolo") {
      setConfirming(mode !== "yolo");
    } else {
      onChange(value as Mode);
    }
  };
  return (
    <>
      <Menu
        side="top"
        label="Mode"
        trigger={<PickerButton icon={icon} label={label} subject="Mode" tone={mode === "yolo" ? "bad" : "plain"} />}
      >
        <MenuLabel>What may happen without asking · Shift Tab</MenuLabel>
        <MenuChoices value={mode} onChange={choose} label="Mode">
          <Choice mode="default" />
          <Choice mode="accept-edits" />
          <Choice mode="plan" />
          <MenuSeparator />
          <Choice mode="yolo" />
        </MenuChoices>
      </Menu>
      <YoloDialog
        open={confirming}
        onClose={() => { setConfirming(false); }}
        onConfirmed={() => {
          setConfirming(false);
          onChange("yolo");
        }}
      />
    </>
  );
}

function Choice({ mode }: { mode: Mode }) {
  const { label, description, icon } = MODES[mode];
  const words = mode === "yolo" ? `${label}…` : label;
  return <MenuChoice value={mode} label={words} description={description} icon={icon} danger={mode === "yolo"} />;
}
