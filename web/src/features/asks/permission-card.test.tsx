import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PermissionRequest } from "@/lib/protocol";
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
afterEach(() => vi.useRealTimers());

function show(request = REQUEST) {
  const decisions: Decision[] = [];
  const onDecide = (decision: Decision) => {
    decisions.push(decision);
    return Promise.resolve();
  };
  render(<PermissionCard request={request} place={null} takesFocus onDecide={onDecide} />);
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
