import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PermissionRequest } from "@/lib/protocol";
import { serve } from "@/testing/server";
import type { Decision } from "./permission-card";
import { PermissionCard } from "./permission-card";

const REQUEST: PermissionRequest = {
  id: "ask_1",
  session_id: "ses_1",
  run_id: "run_1",
  call_id: "call_1",
  tool: "bash",
  title: "Run this command?",
  reason: "No rule covers git push.",
  input: { command: "git push" },
  shown: "/home/me/project\ngit push\u202e origin",
  shown_sha256: "x",
  suggested_rules: ["Bash(git push origin)"],
  created_at: "2026-11-30T10:00:00Z",
  program: "git",
  allow_once: false,
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(request = REQUEST) {
  const decisions: Decision[] = [];
  const onDecide = (decision: Decision) => {
    decisions.push(decision);
    return Promise.resolve();
  };
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <PermissionCard request={request} place={null} takesFocus onDecide={onDecide} />
    </QueryClientProvider>,
  );
  return decisions;
}

it("shows the folder, the whole command with hidden characters, the reason and the rule", () => {
  show();
  expect(screen.getByText("in /home/me/project")).toBeVisible();
  expect(screen.getByLabelText("The command")).toHaveTextContent("git push\\u202e origin");
  expect(screen.getByText("No rule covers git push.")).toBeVisible();
  expect(screen.getByText("Bash(git push origin)")).toBeVisible();
});

it("takes a key only after it has had focus for half a second", () => {
  const decisions = show();
  const card = screen.getByRole("region", { name: "Run this command?" });
  fireEvent.keyDown(card, { key: "y" });
  expect(decisions).toEqual([]);
  act(() => vi.advanceTimersByTime(600));
  fireEvent.keyDown(card, { key: "y" });
  expect(decisions).toEqual([{ decision: "allow", scope: "once" }]);
});

it("does not answer twice", () => {
  const decisions = show();
  fireEvent.click(screen.getByRole("button", { name: /Deny$/ }));
  expect(screen.getByRole("button", { name: /Allow once/ })).toBeDisabled();
  expect(decisions).toEqual([{ decision: "deny", scope: "once" }]);
});

it("shows every rule that would be stored for a command of several parts", () => {
  show({ ...REQUEST, suggested_rules: ["Bash(make a)", "Bash(make b)", "Bash(make c)"] });
  expect(screen.getByText(/would store/)).toHaveTextContent(
    "“Always” would store Bash(make a), Bash(make b) and Bash(make c) · here only",
  );
});

it("says why nothing can be allowed for always", () => {
  show({ ...REQUEST, suggested_rules: [] });
  expect(screen.queryByRole("button", { name: /Always/ })).toBeNull();
  expect(screen.getByText(/cannot be allowed for always/)).toBeVisible();
});

it("says of a line with several commands which one asks, and marks it in the text", async () => {
  vi.useRealTimers();
  const parts = [
    { command: "git add a", verdict: "allow", rule: "Bash(git add *)", reason: "The rule Bash(git add *) allows it." },
    { command: "git push", verdict: "ask", rule: null, reason: "No rule allows git push." },
  ];
  const calls = serve(() => ({ body: { verdict: "ask", rule: null, scope: null, commands: [], reason: "", parts } }));
  show({ ...REQUEST, shown: "/home/me/project\ngit add a && git push" });
  const list = await screen.findByRole("list", { name: "Commands of this line" });
  expect(list).toHaveTextContent("git push asks No rule allows git push.".replaceAll(" asks ", "asks"));
  expect(screen.getByLabelText("The command")).toHaveTextContent("git add a && git push");
  expect(calls[0]?.body).toEqual({ command: "git add a && git push", folder: "/home/me/project" });
});

it("asks nothing of the daemon for one plain command", () => {
  const calls = serve(() => ({}));
  show();
  expect(calls).toEqual([]);
});

it("rehearses the rule only when the person wants to know", async () => {
  vi.useRealTimers();
  const ask = (command: string) => ({ shown: `/home/me/project\n${command}`, at: "2026-11-30T09:00:00Z", session_id: "s", times: 2 });
  const calls = serve(() => ({
    body: {
      rule: "Bash(git push origin)", examined: 41, covered: [ask("git push origin")],
      near: [{ ask: ask("git push --force"), reason: "--force can rewrite the branch" }],
      examples: [{ command: "git push origin; id", verdict: "ask", reason: "" }],
    },
  }));
  show();
  expect(calls).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "What would it have covered?" }));
  const found = await screen.findByRole("group", { name: "Rehearsal" });
  expect(found).toHaveTextContent("Of the last 41 asks here it would have covered 1.");
  expect(found).toHaveTextContent("git push origin2 times");
  expect(found).toHaveTextContent("git push --force--force can rewrite the branch");
  expect(found).toHaveTextContent("git push origin; idasked");
});

it("leaves keys with a modifier, and those before focus has rested, to others", () => {
  const decisions = show();
  const card = screen.getByRole("region", { name: "Run this command?" });
  act(() => vi.advanceTimersByTime(600));
  fireEvent.keyDown(card, { key: "a", ctrlKey: true });
  fireEvent.keyDown(card, { key: "Enter" });
  fireEvent.blur(card);
  fireEvent.focus(card);
  fireEvent.keyDown(card, { key: "a" });
  expect(decisions).toEqual([]);
});
