import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { EMPTY_SHELL } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { useView } from "@/hub/view";
import type { HubSection } from "@/lib/hub-messages";
import { shellState, workspace } from "@/testing/inbox";
import { serve } from "@/testing/server";
import { SettingsPage } from "./settings-page";

function show(section: HubSection, answer: { status?: number; body?: unknown } = {}) {
  useShell.setState({ ...EMPTY_SHELL, selected: "a", state: shellState({ workspaces: [workspace("a")] }) });
  const calls = serve(({ body }) => ({
    body: { ...shellState().settings, ...(body as object) },
    ...answer,
  }));
  render(
    <TooltipProvider>
      <SettingsPage section={section} />
    </TooltipProvider>,
  );
  return calls;
}

const settings = () => useShell.getState().state?.settings;

afterEach(() => {
  vi.unstubAllGlobals();
  useShell.setState(EMPTY_SHELL);
});

it("changes the look at once and keeps it in the hub", async () => {
  const calls = show("appearance");
  await userEvent.click(screen.getByRole("radio", { name: "Dark" }));
  expect(settings()?.theme).toBe("dark");
  expect(calls).toEqual([{ method: "PATCH", path: "/api/settings", body: { theme: "dark" } }]);
});

it("takes a change back that the hub did not keep", async () => {
  show("appearance", { status: 503, body: { code: "x", detail: "No room." } });
  await userEvent.click(screen.getByRole("button", { name: "Larger" }));
  await waitFor(() => { expect(settings()?.text_percent).toBe(100); });
});

it("changes the size of text in steps, within its bounds", async () => {
  show("appearance");
  await userEvent.click(screen.getByRole("button", { name: "Larger" }));
  expect(settings()?.text_percent).toBe(105);
  await userEvent.click(screen.getByRole("button", { name: "Back to 100 %" }));
  expect(settings()?.text_percent).toBe(100);
});

it("says what is told, and changes one rule without the others", async () => {
  const calls = show("notifications", { body: { ...shellState().settings, notifications: { needs_you: true, failed: true, finished: false, finished_after_seconds: 30 } } });
  const finished = screen.getByRole("switch", { name: "Tell me when a run finished" });
  expect(finished).toBeChecked();
  await userEvent.click(finished);
  expect(calls[0]?.body).toEqual({ notifications: { finished: false } });
  await waitFor(() => { expect(screen.queryByText("…and took longer than")).toBeNull(); });
});

it("leads to the sections that the project's page draws, and closes by Esc", async () => {
  show("appearance");
  useView.setState({ view: { is: "settings", section: "appearance" } });
  expect(screen.getByRole("button", { name: "Models and providers" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(useView.getState().view.is).toBe("project");
});
