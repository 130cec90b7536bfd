import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "@/components/button";
import { Setting, SettingsCard } from "@/components/settings-frame";
import { Skeleton } from "@/components/skeleton";
import { TrustItems } from "@/components/trust-items";
import type { Trust } from "@/generated/daemon";
import { useNow } from "@/hooks/use-now";
import { sentenceOf } from "@/lib/api-client";
import { shortTime } from "@/lib/relative-time";
import { showToast } from "@/lib/toasts";
import { decideTrust, trustQuery } from "@/lib/trust";
import { InstructionsChain } from "./instructions-chain";

const STATES: Record<Trust["state"], string> = {
  undecided: "Not decided yet. It counts as not trusted.",
  trusted: "Trusted: what is listed below runs and is read.",
  untrusted: "Not trusted: nothing in it runs or is read as instructions.",
};

/** Whether the folder is trusted, what that lets in, and the instructions that count. */
export function FolderSettings({ folder }: { folder: string }) {
  const { data, error } = useQuery(trustQuery);
  if (data === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full rounded-card" />
    ) : (
      <p role="alert" className="text-ui text-bad">
        {sentenceOf(error)}
      </p>
    );
  }
  return (
    <>
      <TrustSetting trust={data} folder={folder} />
      <section aria-labelledby="lets-in">
        <h2 id="lets-in" className="mb-2 text-ui font-semibold">
          What trust lets in
        </h2>
        <SettingsCard>
          {data.items.length === 0 ? (
            <p className="px-4.5 py-4 text-ui text-fg2">
              Nothing at present: no instructions, and nothing that starts by itself.
            </p>
          ) : (
            <div className="px-4.5 py-1.5">
              <TrustItems items={data.items} trusted={data.state === "trusted"} />
            </div>
          )}
        </SettingsCard>
      </section>
      <InstructionsChain trusted={data.state === "trusted"} />
    </>
  );
}

function TrustSetting({ trust, folder }: { trust: Trust; folder: string }) {
  const client = useQueryClient();
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const trusted = trust.state === "trusted";
  const decide = async (next: boolean) => {
    setBusy(true);
    try {
      await decideTrust(client, next);
    } catch (error) {
      showToast(sentenceOf(error), { tone: "bad" });
    } finally {
      setBusy(false);
    }
  };
  const since = trust.decided_at === null ? "" : ` Decided ${shortTime(trust.decided_at, now)}.`;
  return (
    <SettingsCard>
      <Setting title={trusted ? "This folder is trusted" : "This folder is not trusted"} description={`${STATES[trust.state]}${since}`}>
        <Button variant={trusted ? "secondary" : "primary"} disabled={busy} onClick={() => void decide(!trusted)}>
          {trusted ? "Trust it no more" : "Trust this folder"}
        </Button>
      </Setting>
      <p className="border-t border-line1 px-4.5 py-2.5 text-meta text-fg3">
        <bdi dir="ltr" className="break-all">
          {folder}
        </bdi>
      </p>
      {trust.problem === "" ? null : (
        <p role="alert" className="border-t border-line1 px-4.5 py-2.5 text-meta text-bad">
          {trust.problem}
        </p>
      )}
    </SettingsCard>
  );
}
