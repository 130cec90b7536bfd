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

/** One line for a session whose next message nobody would answer. */
export function NoModelBanner() {
  const status = useDaemonStatus();
  const { look } = useLook();
  if (status === undefined || status.model.usable) {
    return null;
  }
  return (
    <Banner icon={KeyRound} tone="warning" action={{ label: "Look again", onSelect: look }}>
      {status.model.problem || "No model answers yet."}
    </Banner>
  );
}

const SETTINGS = `{
  "provider": {
    "base_url": "http://127.0.0.1:11434/v1",
    "model": "qwen3-coder"
  }
}`;

/** Where a project has no model yet: how to get one, in the places that are read. */
export function NoModelHelp() {
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
      <dl className="mt-3 flex flex-col gap-3">
        <div>
          <dt className="text-fg2">With a key: set these before Lararium starts</dt>
          <dd className="mt-1.5">
            <Example>{"export OPENAI_API_KEY=…\nexport OPENAI_BASE_URL=…   # any compatible server"}</Example>
          </dd>
        </div>
        <div>
          <dt className="text-fg2">
            With a server on this computer, such as Ollama: in <code className="text-code">settings.json</code>
          </dt>
          <dd className="mt-1.5">
            <Example>{SETTINGS}</Example>
          </dd>
        </div>
      </dl>
      <div className="mt-3.5">
        <Button icon={RefreshCw} size="small" disabled={looking} onClick={look}>
          Look again
        </Button>
      </div>
    </section>
  );
}

function Example({ children }: { children: string }) {
  return (
    <pre dir="ltr" className="overflow-x-auto rounded-well border border-line1 bg-well px-3 py-2 text-code text-fg1 select-text">
      {children}
    </pre>
  );
}
