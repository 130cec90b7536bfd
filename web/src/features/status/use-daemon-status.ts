import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/lib/queries";

const RENEWED_EVERY_MS = 60_000;

/** The daemon's state, renewed once a minute. */
export function useDaemonStatus() {
  return useQuery({ ...statusQuery, refetchInterval: RENEWED_EVERY_MS }).data;
}
