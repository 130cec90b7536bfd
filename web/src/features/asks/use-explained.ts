import { useQuery } from "@tanstack/react-query";
import type { ExplainedPart, VerdictExplained } from "@/generated/daemon";
import { api } from "@/lib/api-client";
import type { PermissionRequest } from "@/lib/protocol";
import { splitShown } from "./shown";

const NONE: ExplainedPart[] = [];

/** Give the commands of a line that holds several, each with its verdict; none while it is not known. */
export function useExplained(request: PermissionRequest): ExplainedPart[] {
  const { head: folder, body: command } = splitShown(request.shown);
  const { data } = useQuery({
    queryKey: ["explained", request.id],
    queryFn: ({ signal }) => api.post<VerdictExplained>("/api/permissions/explain", { command, folder }, { signal }),
    // One command needs no parts; a very long one is not taken.
    enabled: request.tool === "bash" && /[;&|\n]/.test(command.trim()) && command.length <= 100_000,
    staleTime: Infinity,
  });
  return data?.parts ?? NONE;
}
