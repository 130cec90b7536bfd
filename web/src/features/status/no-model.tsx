import { useQueryClient } from "@tanstack/react-query";
import { KeyRound, RefreshCw } from "lucide-react";
import { useState } from "react";
import { Banner } from "@/components/banner";
import { Button } from "@/components/button";
import { lookForModels } from "@/lib/queries";
import { useDaemonStatus } from "./use-daemon-status";

function useLook() {
  const client = useQueryClient();
  const [looking, setLooking] = useState(false);
  const look = async () => {
    setLooking(true);
    try {
      await lookForModels(client);
    } finally {
      setLooking(false);
    }
  };
  return { looking, look: () => void look() };
}

interface NoModelProps {
  /** Opens the page that chooses a model. */
  onChoose: () => void;
}

/** One line for a session whose next message nobody would answer. */
export function NoModelBanner({ onChoose }: NoModelProps) {
  const status = useDaemonStatus();
  if (status === undefined || status.model.usable) {
    return null;
  }
  return (
    <Banner icon={KeyRound} tone="warning" action={{ label: "Choose a model", onSelect: onChoose }}>
      {status.model.problem || "No model answers yet."}
    </Banner>
  );
}

/** Where a project has no model: why, and how to get one. */
export function NoModelHelp({ onChoose }: NoModelProps) {
  const status = useDaemonStatus();
  const { looking, look } = useLook();
  if (status === undefined || status.model.usable) {
    return null;
  }
  return (
    <section aria-label="No model yet" className="rounded-card border border-line1 bg-bg2 p-4 text-ui">
      <h3 className="flex items-center gap-2 font-semibold">
        <KeyRound size={15} strokeWidth={1.75} aria-hidden="true" className="text-fg2" />
        No model answers yet
      </h3>
      <p className="mt-1 text-fg2">{status.model.problem || "Nothing was found in the environment or the settings."}</p>
      <div className="mt-3.5 flex flex-wrap gap-2">
        <Button variant="primary" size="small" onClick={onChoose}>
          Choose a model
        </Button>
        <Button icon={RefreshCw} size="small" disabled={looking} onClick={look}>
          Look again
        </Button>
      </div>
    </section>
  );
}
