import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { PageSection } from "@/lib/hub-messages";
import { checked, profile } from "@/testing/found";
import { type Call, serve } from "@/testing/server";
import { useSettings } from "./opened";
import { SettingsPage } from "./settings-page";

const RULES = { allow: ["Bash(npm test)"], ask: [], deny: ["Bash(rm *)"], problems: [] };
const FOUND_TOO = profile({ name: "Ollama", base_url: "http://127.0.0.1:11434/v1", source: "discovered", key_place: "none" });
const PROFILES = [FOUND_TOO, profile({ in_use: true }), profile({ name: "Ollama", base_url: "http://127.0.0.1:11434/v1", key_place: "none", key_hint: "" })];

const GRANT = { id: "grt_1", session_id: "ses_1", permission: "Bash", allowed: "/work/atlas\nnpm run build", granted_at: "2026-11-30T10:00:00Z" };
const INSTRUCTION = { effect: "read", kind: "instructions", path: "AGENTS.md", detail: "Told to the model in every session." };
const INSTRUCTIONS = {
  files: [
    { path: "AGENTS.md", origin: "project", imported_by: "", characters: 120, truncated: false },
    { path: "docs/style.md", origin: "project", imported_by: "AGENTS.md", characters: 64000, truncated: true },
  ],
  notices: ["docs/style.md was cut: instructions end at 64 KiB."],
  text: "# Instructions\nUse uv.",
};

afterEach(() => {
  vi.unstubAllGlobals();
});

function show(section: PageSection, given: Partial<Record<string, { status?: number; body?: unknown }>> = {}) {
  let rules: object = RULES;
  let grants: object[] = [GRANT];
  let trust = { state: "untrusted", decided_at: null as string | null, items: [INSTRUCTION], problem: "" };
  const calls = serve(({ method, path, body }: Call) => {
    const answer = given[`${method} ${path}`];
    if (answer !== undefined) {
      return answer;
    }
    switch (`${method} ${path}`) {
      case "GET /api/permissions/rules":
        return { body: rules };
      case "PUT /api/permissions/rules":
        rules = { ...(body as object), problems: [] };
        return { body: rules };
      case "GET /api/profiles":
      case "PUT /api/models/default":
        return { body: { items: PROFILES, default: null, workspace: null, keyring: "Secret Service" } };
      case "POST /api/profiles/check":
        return { body: checked() };
      case "POST /api/trust":
      case "GET /api/trust":
        trust = body === undefined ? trust : { ...trust, state: "trusted", decided_at: "2026-11-30T10:00:00Z" };
        return { body: trust };
      case "GET /api/permissions/grants":
        return { body: { items: grants, next_cursor: null } };
      case "DELETE /api/permissions/grants/grt_1":
        grants = [];
        return { body: {} };
      case "GET /api/instructions":
        return { body: INSTRUCTIONS };
      default:
        return { body: {} };
    }
  });
  useSettings.setState({ section });
  const onAddModel = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <SettingsPage section={section} project="atlas" folder="/work/atlas" onAddModel={onAddModel} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  const sent = (method: string) => calls.filter((call) => call.method === method);
  return { sent, onAddModel, person: userEvent.setup() };
}

it("removes a rule and brings it back by undo, with all the others", async () => {
  const { sent, person } = show("permissions");
  await person.click(await screen.findByRole("button", { name: "Remove Bash(rm *)" }));
  await waitFor(() => { expect(screen.queryByText("Bash(rm *)")).toBeNull(); });
  expect(sent("PUT")[0]?.body).toEqual({ allow: ["Bash(npm test)"], ask: [], deny: [] });
});

it("adds a rule where the person said, and keeps what was typed when it is not taken", async () => {
  const { sent, person } = show("permissions");
  await person.click(await screen.findByRole("radio", { name: "Ask" }));
  await person.type(screen.getByLabelText("New rule"), "Edit(/migrations/**){Enter}");
  expect(await screen.findByText("Edit(/migrations/**)")).toBeVisible();
  expect(sent("PUT")[0]?.body).toMatchObject({ ask: ["Edit(/migrations/**)"], deny: ["Bash(rm *)"] });
  expect(screen.getByLabelText("New rule")).toHaveValue("");
});

it("says what would happen to a command", async () => {
  const verdict = { verdict: "ask", rule: null, scope: null, commands: [["npm", "test"], ["git", "push"]], reason: "No rule covers git push." };
  const { sent, person } = show("permissions", { "POST /api/permissions/explain": { body: verdict } });
  await person.type(await screen.findByRole("textbox", { name: /Try a command/ }), "npm test && git push");
  expect(await screen.findByText("No rule covers git push.")).toBeVisible();
  expect(screen.getByText("Asks")).toBeVisible();
  expect(sent("POST").at(-1)?.body).toEqual({ command: "npm test && git push" });
});

it("chooses what new sessions use, here or everywhere", async () => {
  const { sent, person } = show("models");
  await person.click(await screen.findByRole("button", { name: /^This project uses/ }));
  await person.click(await screen.findByRole("menuitemradio", { name: "Ollama · qwen3" }));
  await waitFor(() => { expect(sent("PUT")[0]?.body).toEqual({ scope: "workspace", profile: "Ollama" }); });
});

it("checks all servers and says of each what came of it", async () => {
  const refused = checked({ ok: false, problem: "No auth credentials found (401)." });
  const { person } = show("models", { "POST /api/profiles/check": { body: refused } });
  await person.click(await screen.findByRole("button", { name: "Check all" }));
  expect(await screen.findAllByText("Does not work")).toHaveLength(2);
  await person.click(screen.getByRole("button", { name: /^OpenRouter/ }));
  expect(screen.getByText("No auth credentials found (401).")).toBeVisible();
});

it("replaces a key and never shows the old one", async () => {
  const { sent, person } = show("models");
  await person.click(await screen.findByRole("button", { name: /^OpenRouter/ }));
  const field = screen.getByLabelText("New key of OpenRouter");
  expect(field).toHaveValue("");
  expect(field).toHaveAttribute("placeholder", "••••••••9fQa, system keychain");
  await person.type(field, "sk-or-new{Enter}");
  await waitFor(() => { expect(sent("PATCH")[0]?.body).toEqual({ key: "sk-or-new" }); });
});

it("chooses what answers in place of a server, or nothing", async () => {
  const { sent, person } = show("models");
  await person.click(await screen.findByRole("button", { name: /^OpenRouter/ }));
  await person.click(screen.getByRole("button", { name: "Falls back on: None" }));
  expect(screen.getAllByRole("menuitemradio").map(({ textContent }) => textContent)).toEqual(["None", "Ollama · qwen3"]);
  await person.click(screen.getByRole("menuitemradio", { name: "Ollama · qwen3" }));
  await waitFor(() => { expect(sent("PATCH")[0]?.body).toEqual({ fallback: "Ollama" }); });
});

it("says of a fallback that it is gone, and lets it be taken away", async () => {
  const items = [profile({ fallback: "Spare" })];
  const { sent, person } = show("models", {
    "GET /api/profiles": { body: { items, default: null, workspace: null, keyring: "Secret Service" } },
  });
  await person.click(await screen.findByRole("button", { name: /^OpenRouter/ }));
  expect(screen.getByRole("alert")).toHaveTextContent("There is no profile Spare any more.");
  await person.click(screen.getByRole("button", { name: "Falls back on: Spare (not there)" }));
  await person.click(screen.getByRole("menuitemradio", { name: "None" }));
  await waitFor(() => { expect(sent("PATCH")[0]?.body).toEqual({ fallback: "" }); });
});

it("removes a server only after saying what goes with it", async () => {
  const { sent, person } = show("models");
  await person.click(await screen.findByRole("button", { name: /^OpenRouter/ }));
  await person.click(screen.getByRole("button", { name: "Remove" }));
  expect(await screen.findByRole("dialog", { name: "Remove OpenRouter?" })).toHaveTextContent("Its key is deleted too.");
  expect(sent("DELETE")).toEqual([]);
  await person.click(screen.getByRole("button", { name: "Remove OpenRouter" }));
  await waitFor(() => { expect(sent("DELETE")[0]?.path).toBe("/api/profiles/OpenRouter"); });
});

it("shows alone in a browser only what the project's daemon owns", async () => {
  const { onAddModel, person } = show("models");
  expect(screen.queryByRole("button", { name: "Appearance" })).toBeNull();
  await person.click(await screen.findByRole("button", { name: "Add a model" }));
  expect(onAddModel).toHaveBeenCalledOnce();
  await person.click(screen.getByRole("button", { name: "Close the settings" }));
  expect(useSettings.getState().section).toBeNull();
});

it("trusts the folder and takes it back where it is shown what that lets in", async () => {
  const { sent, person } = show("folder");
  expect(await screen.findByText("would be read")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Trust this folder" }));
  expect(await screen.findByRole("button", { name: "Trust it no more" })).toBeVisible();
  expect(screen.getByText("is read")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Trust it no more" }));
  await waitFor(() => { expect(sent("POST").map(({ body }) => body)).toEqual([{ trusted: true }, { trusted: false }]); });
});

it("shows the chain of instructions with what was cut, and their whole text on demand", async () => {
  const { person } = show("folder");
  expect(await screen.findByText("imported by AGENTS.md")).toBeVisible();
  expect(screen.getByText("cut")).toBeVisible();
  expect(screen.getByText("docs/style.md was cut: instructions end at 64 KiB.")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Exactly what the model is told" }));
  expect(screen.getByLabelText("What the model is told")).toHaveTextContent("Use uv.");
});

it("lists what was allowed for a session and takes it back", async () => {
  const { sent, person } = show("permissions");
  await person.click(await screen.findByRole("button", { name: "Take back npm run build" }));
  expect(await screen.findByText(/“This session” on a permission card adds one here/)).toBeVisible();
  expect(sent("DELETE").map(({ path }) => path)).toEqual(["/api/permissions/grants/grt_1"]);
});
