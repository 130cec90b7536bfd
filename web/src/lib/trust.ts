/** Whether the person trusts the project's folder, and the instructions that the next run is told. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { InstructionsView, Trust } from "@/generated/daemon";
import { api } from "@/lib/api-client";

export const trustQuery = queryOptions({
  queryKey: ["trust"],
  queryFn: ({ signal }) => api.get<Trust>("/api/trust", { signal }),
  staleTime: 15_000,
});

export const instructionsQuery = queryOptions({
  queryKey: ["instructions"],
  queryFn: ({ signal }) => api.get<InstructionsView>("/api/instructions", { signal }),
});

/** Store the decision; what the next run is told changes with it. */
export async function decideTrust(client: QueryClient, trusted: boolean): Promise<void> {
  client.setQueryData(trustQuery.queryKey, await api.post<Trust>("/api/trust", { trusted }));
  await client.invalidateQueries({ queryKey: instructionsQuery.queryKey });
}

/** Whether there is something to decide on: nobody has, and the folder holds what would count. */
export function isOpen(trust: Trust | undefined): trust is Trust {
  return trust !== undefined && trust.state === "undecided" && trust.items.length > 0;
}
