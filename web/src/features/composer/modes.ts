import { Eye, type LucideIcon, PencilLine, ShieldCheck, Siren } from "lucide-react";
import type { Mode } from "@/lib/protocol";

interface ModeWords {
  label: string;
  description: string;
  icon: LucideIcon;
}

export const MODES: Record<Mode, ModeWords> = {
  default: { label: "Ask first", description: "Asks before it edits or runs anything.", icon: ShieldCheck },
  "accept-edits": {
    label: "Accept edits",
    description: "Edits files of the project by itself, asks before commands.",
    icon: PencilLine,
  },
  plan: { label: "Plan", description: "Reads only; changes nothing.", icon: Eye },
  yolo: { label: "Yolo", description: "Runs everything without asking. Deny rules hold.", icon: Siren },
};

/** Modes that the key in the composer goes through; yolo is never reached by it. */
const ROUND: readonly Mode[] = ["default", "accept-edits", "plan"];

export function nextMode(mode: Mode): Mode {
  return ROUND[(ROUND.indexOf(mode) + 1) % ROUND.length] ?? "default";
}
