/** Model servers: what was found, what is saved, what a check said. Keys travel one way: in. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type {
  DefaultModelInput,
  FoundList,
  LoginInfo,
  ProfileCheckInput,
  ProfileChecked,
  ProfileInfo,
  ProfileInput,
  ProfileList,
  ProfilePatchInput,
} from "@/generated/daemon";
import { api } from "@/lib/api-client";
import { lookForModels } from "@/lib/queries";

/** A server far away may take its time to refuse a key. */
const CHECK_MS = 45_000;
/** The system's keychain may ask the person to unlock it. */
const SAVE_MS = 60_000;

const path = (name: string) => `/api/profiles/${encodeURIComponent(name)}`;

export const foundQuery = queryOptions({
  queryKey: ["found-models"],
  queryFn: ({ signal }) => api.get<FoundList>("/api/models/discovered", { signal }),
  staleTime: 30_000,
});

/** A server that was found and is saved too is one server. */
function withoutTwins(list: ProfileList): ProfileList {
  const saved = list.items.filter(({ source }) => source === "settings");
  const isTwin = ({ name, base_url: address, source }: ProfileInfo) =>
    source !== "settings" && saved.some((other) => other.name === name || other.base_url === address);
  return { ...list, items: list.items.filter((profile) => !isTwin(profile)) };
}

export const profilesQuery = queryOptions({
  queryKey: ["profiles"],
  queryFn: ({ signal }) => api.get<ProfileList>("/api/profiles", { signal }),
  select: withoutTwins,
  staleTime: 15_000,
});

/** Read anew all that a change of the profiles changes. */
export async function readProfilesAnew(client: QueryClient): Promise<void> {
  await Promise.all([
    lookForModels(client),
    client.invalidateQueries({ queryKey: profilesQuery.queryKey }),
    client.invalidateQueries({ queryKey: foundQuery.queryKey }),
  ]);
}

/** Try an address and a key; nothing is saved. */
export function checkProfile(input: ProfileCheckInput): Promise<ProfileChecked> {
  return api.post("/api/profiles/check", input, { timeoutMs: CHECK_MS });
}

/** Save a profile. 409 `consent_needed`: there is no keychain, and a file needs the person's word. */
export function saveProfile(input: ProfileInput): Promise<ProfileInfo> {
  return api.post("/api/profiles", input, { timeoutMs: SAVE_MS });
}

export function changeProfile(name: string, change: ProfilePatchInput): Promise<ProfileInfo> {
  return api.patch(path(name), change, { timeoutMs: SAVE_MS });
}

export function removeProfile(name: string): Promise<void> {
  return api.delete(path(name), { timeoutMs: SAVE_MS });
}

/** Begin a login to GitHub for Copilot; its profile is saved when the person has agreed there. */
export function beginLogin(consentToFile: boolean): Promise<LoginInfo> {
  return api.post("/api/logins", { consent_file: consentToFile }, { timeoutMs: SAVE_MS });
}

export function readLogin(id: string, signal: AbortSignal): Promise<LoginInfo> {
  return api.get(`/api/logins/${id}`, { signal });
}

export function cancelLogin(id: string): Promise<LoginInfo> {
  return api.delete(`/api/logins/${id}`);
}

/** Choose what new sessions use. */
export function chooseDefault(input: DefaultModelInput): Promise<ProfileList> {
  return api.put("/api/models/default", input);
}
