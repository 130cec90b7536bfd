/** What the page asks of the daemon now and then; everything else comes by events. */
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import type { DaemonStatus, ModelList } from "@/generated/daemon";
import { api } from "@/lib/api-client";

export const statusQuery = queryOptions({
  queryKey: ["status"],
  queryFn: ({ signal }) => api.get<DaemonStatus>("/api/status", { signal }),
  staleTime: 15_000,
});

export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: ({ signal }) => api.get<ModelList>("/api/models", { signal }),
  staleTime: 60_000,
});

/** Ask anew which model would answer and which there are. */
export async function lookForModels(client: QueryClient): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: statusQuery.queryKey }),
    client.invalidateQueries({ queryKey: modelsQuery.queryKey }),
  ]);
}
