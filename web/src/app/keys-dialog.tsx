import { create } from "zustand";
import { Dialog } from "@/components/dialog";
import { Kbd } from "@/components/kbd";
import { isFramed } from "@/lib/hub-link";
import { type ShortcutId, SHORTCUTS, shownKeys } from "@/lib/shortcuts";

const useKeys = create<{ open: boolean }>()(() => ({ open: false }));

export function openKeys(): void {
  useKeys.setState({ open: true });
}

/** Keys that have no entry in the table: they belong to a place. */
const PLACED: readonly (readonly [keys: string, what: string])[] = [
  ["Enter", "Send; steer while a run goes on"],
  ["Alt Enter", "Queue behind the run"],
  ["Shift Enter", "New line"],
  ["↑", "In an empty composer: the last message again, to edit it"],
  ["Shift Tab", "In the composer: Ask first, Accept edits, Plan"],
  ["Esc", "Close what is open, then stop the run"],
  ["Y S A N", "Answer the card that has the focus"],
  ["F2 Delete", "Rename or delete the session that has the focus"],
];

const WORKS: readonly ShortcutId[] = ["session.new", "ask", "find", "region.next", "region.back", "keys"];
const OF_HUB: readonly ShortcutId[] = ["palette", "inbox", "settings", "rail"];

/** Every key that does something here. */
export function KeysDialog() {
  const open = useKeys((keys) => keys.open);
  const ids = isFramed ? [...WORKS, ...OF_HUB] : WORKS;
  const lines = [...PLACED, ...ids.map((id) => [shownKeys(id, !isFramed), SHORTCUTS[id].label] as const)];
  return (
    <Dialog open={open} onClose={() => { useKeys.setState({ open: false }); }} title="Keys">
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-1.5 text-ui">
        {lines.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt className="text-end">
              <Kbd keys={keys} />
            </dt>
            <dd className="text-fg2">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
