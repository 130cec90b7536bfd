import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useEffect } from "react";
import { Button } from "@/components/button";
import { Setting, SettingsCard } from "@/components/settings-frame";
import type { LoginInfo } from "@/generated/daemon";
import { ApiError, sentenceOf } from "@/lib/api-client";
import { beginLogin, cancelLogin, readLogin, readProfilesAnew } from "@/lib/profiles";

const LOOK_MS = 1500;
const ENDS: Record<Exclude<LoginInfo["state"], "waiting">, string> = {
  done: "You are logged in; the profile is saved.",
  expired: "The code was not used in time.",
  denied: "The login was refused at GitHub.",
  failed: "The login failed.",
  cancelled: "The login was stopped.",
};

/** Logging in to GitHub for Copilot: a code, the page where it is typed, and how it stands. */
export function CopilotLogin() {
  const client = useQueryClient();
  const begun = useMutation({ mutationFn: beginLogin });
  const id = begun.data?.id;
  const looked = useQuery({
    queryKey: ["login", id],
    queryFn: ({ signal }) => readLogin(id ?? "", signal),
    enabled: id !== undefined,
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === "waiting" ? LOOK_MS : false),
  });
  const login = looked.data ?? begun.data;
  const isDone = login?.state === "done";
  useEffect(() => {
    if (isDone) {
      void readProfilesAnew(client);
    }
  }, [client, isDone]);
  const needsConsent = begun.error instanceof ApiError && begun.error.code === "consent_needed";
  return (
    <SettingsCard>
      <Setting title="GitHub Copilot" description="Use the models of your Copilot subscription. You agree at GitHub; no key is typed here.">
        {login?.state === "waiting" ? (
          <Button size="small" onClick={() => { void cancelLogin(login.id).then(() => looked.refetch()); }}>
            Stop
          </Button>
        ) : (
          <Button size="small" icon={LogIn} disabled={begun.isPending} onClick={() => { begun.mutate(needsConsent); }}>
            {needsConsent ? "Keep it in a file and log in" : "Log in"}
          </Button>
        )}
      </Setting>
      {begun.error === null ? null : (
        <p role="alert" className="px-4.5 pb-4 text-ui text-bad">
          {sentenceOf(begun.error)}
        </p>
      )}
      {login === undefined ? null : (
        <p role="status" className="px-4.5 pb-4 text-ui text-fg2">
          {login.state === "waiting" ? (
            <>
              Open <span className="select-all font-mono">{login.verification_uri}</span> and type the code{" "}
              <strong className="select-all font-mono">{login.user_code}</strong>
            </>
          ) : (
            login.problem || ENDS[login.state]
          )}
        </p>
      )}
    </SettingsCard>
  );
}
