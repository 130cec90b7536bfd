import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { IconButton } from "@/components/icon-button";
import { SettingsCard } from "@/components/settings-frame";
import type { Grant, GrantList } from "@/generated/daemon";
import { ApiError, api, sentenceOf } from "@/lib/api-client";
import { useEvents } from "@/lib/events/store";
import { showToast } from "@/lib/toasts";

const grantsQuery = queryOptions({
  queryKey: ["grants"],
  queryFn: ({ signal }) => api.get<GrantList>("/api/permissions/grants", { signal }),
  refetchInterval: 15_000,
});

/** What was allowed for the rest of a session; each can be taken back. */
export function SessionGrants() {
  const { data, error } = useQuery(grantsQuery);
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: ({ id }: Grant) => api.delete(`/api/permissions/grants/${encodeURIComponent(id)}`),
    onError: (problem) => {
      if (!(problem instanceof ApiError && problem.status === 404)) {
        showToast(sentenceOf(problem), { tone: "bad" });
      }
    },
    onSettled: () => client.invalidateQueries({ queryKey: grantsQuery.queryKey }),
  });
  const grants = data?.items ?? [];
  return (
    <section aria-labelledby="grants">
      <header className="mb-2 flex flex-wrap items-baseline gap-x-3">
        <h2 id="grants" className="grow text-ui font-semibold">
          Allowed for a session
        </h2>
        <p className="text-meta text-fg3">They end with the project’s daemon.</p>
      </header>
      <SettingsCard>
        {error !== null ? (
          <p role="alert" className="px-4.5 py-4 text-ui text-bad">
            {sentenceOf(error)}
          </p>
        ) : grants.length === 0 ? (
          <p className="px-4.5 py-4 text-ui text-fg2">Nothing. “This session” on a permission card adds one here.</p>
        ) : (
          <ul>
            {grants.map((grant) => (
              <GrantRow key={grant.id} grant={grant} busy={remove.isPending} onRemove={() => { remove.mutate(grant); }} />
            ))}
          </ul>
        )}
      </SettingsCard>
    </section>
  );
}

interface GrantRowProps {
  grant: Grant;
  busy: boolean;
  onRemove: () => void;
}

function GrantRow({ grant, busy, onRemove }: GrantRowProps) {
  const title = useEvents((events) => events.rows?.[grant.session_id]?.title ?? "");
  const { what, where } = wordsOf(grant);
  return (
    <li className="flex min-h-9 items-center gap-3 border-b border-line1 px-4.5 py-1 last:border-b-0">
      <span className="inline-flex h-5 shrink-0 items-center rounded-chip bg-live-soft px-1.5 text-meta font-semibold text-live">
        {grant.permission}
      </span>
      <span className="min-w-0 grow">
        <code dir="ltr" className="block text-code break-all whitespace-pre-wrap select-text">
          {what}
        </code>
        <span className="block text-meta text-fg3">
          {where === "" ? null : (
            <>
              in <bdi dir="ltr" className="break-all">{where}</bdi> ·{" "}
            </>
          )}
          in the session “<bdi>{title === "" ? "New session" : title}</bdi>”
        </span>
      </span>
      <IconButton icon={X} label={`Take back ${what}`} disabled={busy} onClick={onRemove} />
    </li>
  );
}

/** A command's grant is its folder, a line's end, and itself; another is one word. */
function wordsOf({ permission, allowed }: Grant): { what: string; where: string } {
  const end = permission === "Bash" ? allowed.indexOf("\n") : -1;
  return end === -1 ? { what: allowed, where: "" } : { what: allowed.slice(end + 1), where: allowed.slice(0, end) };
}
