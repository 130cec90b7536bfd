import type { InboxItem, PermissionRequest, Question, ShellState, Workspace } from "@/generated/hub";

/** A request that waits; what is given says otherwise. */
export function inboxItem(id: string, given: Partial<InboxItem> = {}): InboxItem {
  return {
    id,
    workspace_id: "a",
    workspace_name: "atlas-api",
    kind: "needs_you",
    waiting: true,
    session_id: "ses_1",
    title: "Rate-limit by API key",
    detail: "Run git push",
    at: "2026-11-30T10:00:00Z",
    run_seconds: null,
    tool: "bash",
    program: "git",
    code: "",
    buttons: ["review", "deny"],
    ...given,
  };
}

export const FINISHED = inboxItem("a.run_2", {
  kind: "finished",
  waiting: false,
  title: "Explain the chart cache",
  detail: "The cache holds",
  run_seconds: 61,
  buttons: [],
});

export const REQUEST: PermissionRequest = {
  id: "ask_1",
  session_id: "ses_1",
  run_id: "run_1",
  call_id: "call_1",
  tool: "bash",
  title: "Run this command?",
  reason: "No rule covers git push.",
  input: { command: "git push" },
  shown: "/home/me/atlas\ngit push origin",
  shown_sha256: "hash-of-it",
  suggested_rules: ["Bash(git push origin)"],
  created_at: "2026-11-30T10:00:00Z",
  program: "git",
  allow_once: false,
};

export const QUESTION: Question = {
  id: "que_1",
  session_id: "ses_1",
  run_id: "run_1",
  call_id: "call_2",
  items: [
    {
      text: "Which replica?",
      options: [
        { label: "Logical", description: "No downtime" },
        { label: "Streaming", description: "" },
      ],
      multiple: false,
    },
  ],
  created_at: "2026-11-30T10:00:00Z",
  spend: null,
};

export function workspace(id: string, given: Partial<Workspace> = {}): Workspace {
  return {
    id,
    name: id,
    path: `/code/${id}`,
    state: "ready",
    location: "local",
    pinned: false,
    sample: false,
    pid: 1,
    base_url: "http://127.0.0.1:4001",
    safe: false,
    outdated: "",
    problem: "",
    log_tail: [],
    waiting: 0,
    unread: 0,
    running: 0,
    fact: "",
    ...given,
  };
}

/** What the hub says of itself. */
export function shellState(given: Partial<ShellState> = {}): ShellState {
  return {
    type: "shell",
    workspaces: [],
    notices: [],
    window: true,
    shown: null,
    shown_count: 0,
    shown_session: null,
    held: null,
    inbox: [],
    settings: {
      theme: "system",
      text_percent: 100,
      notifications: { needs_you: true, failed: true, finished: true, finished_after_seconds: 30 },
    },
    toast: null,
    ...given,
  };
}
