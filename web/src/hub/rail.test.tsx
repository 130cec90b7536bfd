import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { EMPTY_SHELL } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { useView } from "@/hub/view";
import { inboxItem, shellState, workspace } from "@/testing/inbox";
import { type Call, serve } from "@/testing/server";
import { Rail } from "./rail";

let calls: Call[];

beforeEach(() => {
  calls = serve(() => ({}));
  useView.setState({ view: { is: "project" }, palette: false });
  const workspaces = [
    workspace("atlas", { waiting: 2, state: "needs_you" }),
    workspace("tidepool"),
    workspace("tour", { sample: true }),
  ];
  const inbox = [inboxItem("atlas.ask_1", { workspace_id: "atlas" })];
  useShell.setState({ ...EMPTY_SHELL, selected: "atlas", state: shellState({ workspaces, inbox }) });
  render(
    <TooltipProvider>
      <Rail shape="wide" />
    </TooltipProvider>,
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  useShell.setState(EMPTY_SHELL);
});

const order = () => useShell.getState().state?.workspaces.map(({ id }) => id);
const rowOf = (name: RegExp) => screen.getByRole("button", { name });

async function menuOf(name: string): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: `More for ${name}` }));
}

it("says what waits: how many things in all, and in each project what is asked", () => {
  expect(rowOf(/^Inbox/)).toHaveTextContent("1");
  expect(rowOf(/^atlas/)).toHaveTextContent("Asks to run git2");
});

it("moves a project by Alt and an arrow, at once, and tells the hub its place", async () => {
  act(() => { rowOf(/^tidepool/).focus(); });
  await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(order()).toEqual(["tidepool", "atlas", "tour"]);
  expect(rowOf(/^tidepool/)).toHaveFocus();
  expect(calls).toEqual([{ method: "PATCH", path: "/api/workspaces/tidepool", body: { place: 0 } }]);
});

it("goes from row to row by the arrows", async () => {
  act(() => { rowOf(/^atlas/).focus(); });
  await userEvent.keyboard("{ArrowDown}");
  expect(rowOf(/^tidepool/)).toHaveFocus();
});

it("renames by F2 and gives the row its focus back", async () => {
  act(() => { rowOf(/^tidepool/).focus(); });
  await userEvent.keyboard("{F2}");
  const field = screen.getByRole("textbox", { name: "Name of the project" });
  await userEvent.clear(field);
  await userEvent.type(field, "Web{Enter}");
  expect(calls).toEqual([{ method: "PATCH", path: "/api/workspaces/tidepool", body: { name: "Web" } }]);
  expect(rowOf(/^tidepool/)).toHaveFocus();
});

it("keeps a project at the top", async () => {
  await menuOf("tidepool");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Keep at the top" }));
  await waitFor(() => { expect(calls[0]).toMatchObject({ body: { pinned: true } }); });
});

it("says what goes with a project that is taken off, and with the tour", async () => {
  await menuOf("tidepool");
  expect(await screen.findByRole("menuitem", { name: /Take off the list/ })).toHaveTextContent("are kept");
  await userEvent.keyboard("{Escape}");
  await menuOf("tour");
  const remove = await screen.findByRole("menuitem", { name: /Remove the tour/ });
  expect(remove).toHaveTextContent("are deleted");
  await userEvent.click(remove);
  await waitFor(() => { expect(calls.at(-1)).toMatchObject({ method: "DELETE", path: "/api/tour/tour" }); });
});
