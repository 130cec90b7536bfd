/** The steps from a key that was typed in to a profile that works. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProfileCheckInput, ProfileChecked, ProfileInfo, ProfileInput } from "@/generated/daemon";
import { ApiError, sentenceOf } from "@/lib/api-client";
import { changeProfile, checkProfile, profilesQuery, readProfilesAnew, saveProfile } from "@/lib/profiles";

export interface Draft {
  name: string;
  baseUrl: string;
  /** "" where the server wants none. */
  key: string;
}

export type OwnServer =
  | { step: "idle" }
  | { step: "checking" }
  /** The server, or the daemon, says why it does not work. */
  | { step: "failed"; problem: string }
  /** It works, and there is something to know before the key is kept. */
  | { step: "warned"; warning: string; checked: ProfileChecked }
  /** Nothing but a file could hold the key. */
  | { step: "consent"; words: string; checked: ProfileChecked }
  | { step: "saving" }
  | { step: "saved"; profile: ProfileInfo; checked: ProfileChecked };

const keyOf = ({ key }: Draft) => (key.trim() === "" ? {} : { key: key.trim() });

async function keep(draft: Draft, checked: ProfileChecked, old: ProfileInfo | undefined, consent: boolean) {
  const fields = {
    base_url: draft.baseUrl,
    model: checked.model,
    ...keyOf(draft),
    ...(consent ? { consent_file: true } : {}),
    make_default: "user",
  } as const;
  if (old !== undefined) {
    return changeProfile(old.name, fields);
  }
  const input: ProfileInput = { name: draft.name, kind: "chat", ...fields };
  return saveProfile(input);
}

/** Check an address and a key, then save them; every failure is told in the server's words. */
export function useOwnServer(onSaved: (profile: ProfileInfo) => void) {
  const client = useQueryClient();
  const [own, setOwn] = useState<OwnServer>({ step: "idle" });

  const save = async (draft: Draft, checked: ProfileChecked, consent: boolean) => {
    setOwn({ step: "saving" });
    try {
      const saved = client.getQueryData(profilesQuery.queryKey)?.items ?? [];
      const old = saved.find(({ name, source }) => source === "settings" && name === draft.name);
      const profile = await keep(draft, checked, old, consent);
      setOwn({ step: "saved", profile, checked });
      onSaved(profile);
      await readProfilesAnew(client);
    } catch (error) {
      if (error instanceof ApiError && error.code === "consent_needed") {
        setOwn({ step: "consent", words: error.message, checked });
      } else {
        setOwn({ step: "failed", problem: sentenceOf(error) });
      }
    }
  };
  const check = async (draft: Draft) => {
    setOwn({ step: "checking" });
    try {
      const input: ProfileCheckInput = { kind: "chat", base_url: draft.baseUrl, ...keyOf(draft) };
      const checked = await checkProfile(input);
      if (!checked.ok) {
        setOwn({ step: "failed", problem: checked.problem });
      } else if (checked.warning !== "") {
        setOwn({ step: "warned", warning: checked.warning, checked });
      } else {
        await save(draft, checked, false);
      }
    } catch (error) {
      setOwn({ step: "failed", problem: sentenceOf(error) });
    }
  };
  return { own, check, save, reset: () => { setOwn({ step: "idle" }); } };
}
