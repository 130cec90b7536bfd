import { OctagonAlert } from "lucide-react";
import { Banner } from "@/components/banner";

/** Says that nothing is asked in this session. */
export function YoloBanner({ onTurnOff }: { onTurnOff: () => void }) {
  return (
    <Banner icon={OctagonAlert} tone="bad" action={{ label: "Turn off", onSelect: onTurnOff }}>
      Yolo: commands run without asking. Deny rules hold.
    </Banner>
  );
}
