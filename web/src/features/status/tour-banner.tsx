import { Map as MapIcon } from "lucide-react";
import { Banner } from "@/components/banner";
import { useDaemonStatus } from "./use-daemon-status";

/** Says that no model answers here but a script. */
export function TourBanner({ onChoose }: { onChoose: () => void }) {
  const scripted = useDaemonStatus()?.model.scripted === true;
  if (!scripted) {
    return null;
  }
  return (
    <Banner icon={MapIcon} action={{ label: "Choose a model", onSelect: onChoose }}>
      The tour answers here: scripted and offline, not an AI.
    </Banner>
  );
}
