import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { emptyState } from "@/lib/events/reducer";
import type { SessionState } from "@/lib/protocol";
import { userMessage } from "@/testing/envelopes";
import { type Call, serve } from "@/testing/server";
import { Composer } from "./composer";
import { writeDraft } from "./drafts";

const running: SessionState["run"] = {
  run_id: "r",
  message_id: "m",
  model: "m",
  mode: "default",
  started_at: "2026-03-01T10:00:00Z",
  turn: 1,
  ended_at: null,
  outcome: null,
  refused: 0,
  code: "",
  detail: "",
  cost_usd: 0,
  spend_cap_usd: null,
};

function show(given: Partial<SessionState> = {}) {
  const on = { onMode: vi.fn(), onModel: vi.fn(), onAddModel: vi.fn(), onStop: vi.fn(), onSent: vi.fn() };
  const state = { ...emptyState("ses_1"), ...given };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <TooltipProvider>
        <Composer sessionId="ses_1" state={state} mode={state.mode} model={null} {...on} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...on, field: screen.getByRole("textbox", { name: "Message to the agent" }) };
}

let calls: Call[];
const posted = () => calls.filter((call) => call.method === "POST").map((call) => (call.body as { text: string }).text);

beforeEach(() => {
  writeDraft("ses_1", "");
  calls = serve(({ path }) =>
    path === "/api/models"
      ? { body: { items: [{ name: "small", context_window: 8000 }], next_cursor: null, default: "small", problem: "" } }
      : { body: { message_id: "m", run_id: "r", seq: 1, queued: false, model: { usable: true, name: "small" } } },
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("sends once for an input method's Enter, its echo and a plain Enter", async () => {
  const { field, onSent } = show();
  await userEvent.type(field, "にほん");
  fireEvent.keyDown(field, { key: "Enter", isComposing: true });
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
  expect(posted()).toEqual([]);
  fireEvent.keyDown(field, { key: "Enter", keyCode: 13 });
  await vi.waitFor(() => { expect(onSent).toHaveBeenCalledOnce(); });
  expect(posted()).toEqual(["にほん"]);
  expect(field).toHaveValue("");
});

it("begins a new line with Shift Enter", async () => {
  const { field } = show();
  await userEvent.type(field, "a{Shift>}{Enter}{/Shift}b");
  expect(field).toHaveValue("a\nb");
  expect(posted()).toEqual([]);
});

it("offers to stop while a run goes on, and to speak into it", async () => {
  const { onStop } = show({ run: running, messages: [userMessage("q", "And then", null)] });
  expect(screen.getByRole("list", { name: "Queued messages" })).toHaveTextContent("And then");
  await userEvent.click(screen.getByRole("button", { name: "Stop the run" }));
  expect(onStop).toHaveBeenCalledOnce();
  expect(screen.getByRole("button", { name: "Steer the run" })).toBeVisible();
});

it("says why a message was not taken, and keeps it", async () => {
  calls = serve(() => ({ status: 507, body: { code: "storage_full", detail: "The disk is full." } }));
  const { field } = show();
  await userEvent.type(field, "Mend it{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("Not sent. The disk is full. Your text is kept.");
  expect(field).toHaveValue("Mend it");
});

it("turns yolo on only when its name was typed", async () => {
  const { onMode } = show();
  const person = userEvent.setup();
  await person.click(screen.getByRole("button", { name: "Mode: Ask first" }));
  await person.click(await screen.findByRole("menuitemradio", { name: /Yolo/ }));
  expect(onMode).not.toHaveBeenCalled();
  const confirm = await screen.findByRole("button", { name: "Turn on Yolo" });
  expect(confirm).toBeDisabled();
  await person.type(screen.getByRole("textbox", { name: /Type yolo/ }), "yolo");
  await person.click(confirm);
  expect(onMode).toHaveBeenCalledExactlyOnceWith("yolo");
});
