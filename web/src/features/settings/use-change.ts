import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProfileInfo, ProfilePatchInput } from "@/generated/daemon";
import { ApiError, sentenceOf } from "@/lib/api-client";
import { changeProfile, readProfilesAnew } from "@/lib/profiles";
import { forgetCheck } from "./checks";

/** Change a profile: `change` says whether it was done, `problem` why not. */
export function useChange(profile: ProfileInfo) {
  const client = useQueryClient();
  const [problem, setProblem] = useState<{ code: string; words: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const change = async (fields: ProfilePatchInput): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      await changeProfile(profile.name, fields);
      forgetCheck(profile.name);
      await readProfilesAnew(client);
      return true;
    } catch (error) {
      setProblem({ code: error instanceof ApiError ? error.code : "", words: sentenceOf(error) });
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { change, problem, busy };
}
