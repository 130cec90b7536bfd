import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { Segments } from "@/components/segments";
import { SettingsCard } from "@/components/settings-frame";
import { Skeleton } from "@/components/skeleton";
import type { RuleLists, RulesInput } from "@/generated/daemon";
import { api, sentenceOf } from "@/lib/api-client";
import { showToast } from "@/lib/toasts";
import { type Rule, rulesOf, type RuleVerdict, VERDICTS, withoutRule, withRule } from "./rules";
import { SessionGrants } from "./session-grants";
import { TryCommand } from "./try-command";
import { Verdict } from "./verdict";

const rulesQuery = queryOptions({
  queryKey: ["permission-rules"],
  queryFn: ({ signal }) => api.get<RuleLists>("/api/permissions/rules", { signal }),
});

function useRules() {
  const client = useQueryClient();
  const { data, error } = useQuery(rulesQuery);
  const put = useMutation({
    mutationFn: (rules: RulesInput) => api.put<RuleLists>("/api/permissions/rules", rules),
    onSuccess: (lists) => { client.setQueryData(rulesQuery.queryKey, lists); },
    onError: (problem) => { showToast(sentenceOf(problem), { tone: "bad" }); },
  });
  return { lists: data, error, put };
}

/** What the person allowed, forbade or wants to be asked in this project. */
export function PermissionSettings() {
  const { lists, error, put } = useRules();
  if (lists === undefined) {
    return error === null ? (
      <Skeleton className="h-40 w-full rounded-card" />
    ) : (
      <p role="alert" className="text-ui text-bad">
        {sentenceOf(error)}
      </p>
    );
  }
  const remove = (rule: Rule) => {
    put.mutate(withoutRule(lists, rule), {
      onSuccess: (now) => {
        showToast(`${rule.text} is removed.`, {
          action: { label: "Undo", onSelect: () => { put.mutate(withRule(now, rule.verdict, rule.text)); } },
        });
      },
    });
  };
  const rules = rulesOf(lists);
  return (
    <>
      <TryCommand />
      <section aria-labelledby="rules">
        <header className="mb-2 flex flex-wrap items-baseline gap-x-3">
          <h2 id="rules" className="grow text-ui font-semibold">
            {rules.length === 0 ? "Rules" : `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`}
          </h2>
          <p className="text-meta text-fg3">Order: deny, ask, allow. The first match decides.</p>
        </header>
        <SettingsCard>
          {rules.length === 0 ? (
            <p className="px-4.5 py-4 text-ui text-fg2">
              None yet. “Always” on a permission card adds one here, and so does the line below.
            </p>
          ) : (
            <ul>
              {rules.map((rule) => (
                <RuleRow key={`${rule.verdict} ${rule.text}`} rule={rule} busy={put.isPending} onRemove={() => { remove(rule); }} />
              ))}
            </ul>
          )}
          <AddRule busy={put.isPending} onAdd={(verdict, text) => put.mutateAsync(withRule(lists, verdict, text))} />
        </SettingsCard>
        <p className="mt-2 text-meta text-pretty text-fg3">
          Rules are kept outside the folder and never apply to another one. What the hard limits deny, no rule allows.
        </p>
      </section>
      <SessionGrants />
    </>
  );
}

function RuleRow({ rule, busy, onRemove }: { rule: Rule; busy: boolean; onRemove: () => void }) {
  return (
    <li className="flex min-h-9 items-center gap-3 border-b border-line1 px-4.5 py-1">
      <Verdict verdict={rule.verdict} />
      <span className="min-w-0 grow">
        <code dir="ltr" className="block text-code break-all select-text">
          {rule.text}
        </code>
        {rule.problem === "" ? null : <span className="block text-meta text-bad">{rule.problem}</span>}
      </span>
      <IconButton icon={X} label={`Remove ${rule.text}`} disabled={busy} onClick={onRemove} />
    </li>
  );
}

const LABELS: Record<RuleVerdict, string> = { deny: "Deny", ask: "Ask", allow: "Allow" };

interface AddRuleProps {
  busy: boolean;
  onAdd: (verdict: RuleVerdict, text: string) => Promise<RuleLists>;
}

function AddRule({ busy, onAdd }: AddRuleProps) {
  const [verdict, setVerdict] = useState<RuleVerdict>("allow");
  const [text, setText] = useState("");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const rule = text.trim();
    if (rule !== "") {
      onAdd(verdict, rule).then(
        () => { setText(""); },
        () => {
          // It was told; what was typed stays.
        },
      );
    }
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-wrap items-center gap-2 px-4.5 py-3">
      <Segments
        label="What the new rule does"
        segments={VERDICTS.map((value) => ({ value, label: LABELS[value] }))}
        value={verdict}
        onChange={setVerdict}
      />
      <input
        aria-label="New rule"
        placeholder="Bash(npm run test *)"
        value={text}
        maxLength={1000}
        spellCheck={false}
        autoComplete="off"
        dir="ltr"
        onChange={(event) => { setText(event.target.value); }}
        className="h-8 min-w-0 grow basis-48 rounded-control border border-line3 bg-bg2 px-3 font-mono text-code"
      />
      <Button type="submit" size="small" className="h-8" disabled={busy || text.trim() === ""}>
        Add rule
      </Button>
    </form>
  );
}
