import { Map as MapIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/button";
import { isFramed, tellHub } from "@/lib/hub-link";

/** Until the hub shows the new project, or has said why it cannot. */
const ASKING_MS = 8_000;

/** A way in for those who have no model: a script that shows what working here is like. */
export function TourCard() {
  const [asking, setAsking] = useState(false);
  const ask = () => {
    tellHub({ type: "tour.wanted" });
    setAsking(true);
    setTimeout(() => { setAsking(false); }, ASKING_MS);
  };
  return (
    <section
      aria-label="Tour"
      className="flex flex-wrap items-center gap-x-3.5 gap-y-2.5 rounded-card border border-dashed border-line2 px-4.5 py-3.5"
    >
      <MapIcon size={17} strokeWidth={1.6} aria-hidden="true" className="shrink-0 text-fg2" />
      <div className="min-w-52 grow basis-0">
        <h3 className="text-ui font-semibold">No model yet? Take the tour</h3>
        <p className="mt-0.5 text-meta text-pretty text-fg2">
          A scripted model shows streaming, diffs and approvals in a sample folder. Offline, not an AI.
          {isFramed ? null : " The app makes that folder: open this project in Lararium and take the tour there."}
        </p>
      </div>
      {isFramed ? (
        <Button disabled={asking} onClick={ask}>
          {asking ? "Opening the tour" : "Try the tour"}
        </Button>
      ) : null}
    </section>
  );
}
