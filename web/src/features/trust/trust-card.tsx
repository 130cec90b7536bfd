import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderLock } from "lucide-react";
import { useState } from "react";
import { Button } from "@/components/button";
import { TrustItems } from "@/components/trust-items";
import { sentenceOf } from "@/lib/api-client";
import { decideTrust, isOpen, trustQuery } from "@/lib/trust";

/** Asks once for a folder that holds what would be obeyed; until then nothing in it is. */
export function TrustCard() {
  const { data } = useQuery(trustQuery);
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  if (!isOpen(data)) {
    return null;
  }
  const decide = async (trusted: boolean) => {
    setBusy(true);
    setProblem("");
    try {
      await decideTrust(client, trusted);
    } catch (error) {
      setProblem(sentenceOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <section aria-labelledby="trust-question" className="rounded-card border border-line2 bg-bg2 p-4 shadow-control">
      <h3 id="trust-question" className="flex items-center gap-2 text-ui font-semibold">
        <FolderLock size={15} strokeWidth={1.75} aria-hidden="true" className="text-fg2" />
        Do you trust this folder?
      </h3>
      <p className="mt-1 mb-2 text-ui text-pretty text-fg2">
        Until you do, nothing in it runs or is read as instructions. If you trust it, {data.items.length === 1 ? "this counts" : "these count"}:
      </p>
      <div className="max-h-60 overflow-y-auto" tabIndex={0} role="group" aria-label="What trust lets in">
        <TrustItems items={data.items} />
      </div>
      {problem === "" ? null : (
        <p role="alert" className="mt-2 text-ui text-bad">
          {problem}
        </p>
      )}
      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button variant="primary" size="small" disabled={busy} onClick={() => void decide(true)}>
          Trust this folder
        </Button>
        <Button size="small" disabled={busy} onClick={() => void decide(false)}>
          Not now
        </Button>
        <span className="text-meta text-fg3">You can change it in the settings.</span>
      </div>
    </section>
  );
}
