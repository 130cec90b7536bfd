/** What a check of each profile said, as long as the page lives. */
import { create } from "zustand";
import type { ProfileChecked, ProfileInfo } from "@/generated/daemon";
import { sentenceOf } from "@/lib/api-client";
import { checkProfile } from "@/lib/profiles";

export type Check =
  | { is: "not-yet" }
  | { is: "running" }
  | { is: "done"; checked: ProfileChecked }
  | { is: "failed"; why: string };

const NOT_YET: Check = { is: "not-yet" };

const useChecks = create<Readonly<Record<string, Check>>>()(() => ({}));

export function useCheckOf(name: string): Check {
  return useChecks((checks) => checks[name] ?? NOT_YET);
}

/** Try a profile as it is saved. */
export async function check(name: string): Promise<void> {
  useChecks.setState({ [name]: { is: "running" } });
  try {
    useChecks.setState({ [name]: { is: "done", checked: await checkProfile({ name }) } });
  } catch (error) {
    useChecks.setState({ [name]: { is: "failed", why: sentenceOf(error) } });
  }
}

/** What a check said no longer counts: the profile was changed. */
export function forgetCheck(name: string): void {
  useChecks.setState({ [name]: NOT_YET });
}

/** Why it does not work; "" when nothing says so. */
export function problemOf(profile: ProfileInfo, state: Check): string {
  if (state.is === "failed") {
    return state.why;
  }
  return state.is === "done" ? state.checked.problem : profile.problem;
}
