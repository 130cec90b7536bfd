import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { RailShape } from "@/hub/rail-shape";
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
});
afterEach(() => {
  vi.unstubAllGlobals();
  useShell.setState(EMPTY_SHELL);
});

function show(shape: RailShape = "wide"): void {
  render(
    <TooltipProvider>
      <Rail shape={shape} />
    </TooltipProvider>,
  );
}

const order = () => useShell.getState().state?.workspaces.map(({ id }) => id);
const rowOf = (name: RegExp) => screen.getByRole("button", { name });

async function menuOf(name: string): Promise<void> {
  await userEvent.click(screen.getByRole("button", { name: `More for ${name}` }));
}

it("says what waits: how many things in all, and in each project what is asked", () => {
  show();
  expect(rowOf(/^Inbox/)).toHaveTextContent("1");
  expect(rowOf(/^atlas/)).toHaveTextContent("Asks to run git2");
});

it("moves a project by Alt and an arrow, at once, and tells the hub its place", async () => {
  show();
  act(() => { rowOf(/^tidepool/).focus(); });
  await userEvent.keyboard("{Alt>}{ArrowUp}{/Alt}");
  expect(order()).toEqual(["tidepool", "atlas", "tour"]);
  expect(rowOf(/^tidepool/)).toHaveFocus();
  expect(calls).toEqual([{ method: "PATCH", path: "/api/workspaces/tidepool", body: { place: 0 } }]);
});

it("goes from row to row by the arrows", async () => {
  show();
  act(() => { rowOf(/^atlas/).focus(); });
  await userEvent.keyboard("{ArrowDown}");
  expect(rowOf(/^tidepool/)).toHaveFocus();
});

it("renames by F2 and gives the row its focus back", async () => {
  show();
  act(() => { rowOf(/^tidepool/).focus(); });
  await userEvent.keyboard("{F2}");
  const field = screen.getByRole("textbox", { name: "Name of the project" });
  await userEvent.clear(field);
  await userEvent.type(field, "Web{Enter}");
  expect(calls).toEqual([{ method: "PATCH", path: "/api/workspaces/tidepool", body: { name: "Web" } }]);
  expect(rowOf(/^tidepool/)).toHaveFocus();
});

it("keeps a project at the top", async () => {
  show();
  await menuOf("tidepool");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Keep at the top" }));
  await waitFor(() => { expect(calls[0]).toMatchObject({ body: { pinned: true } }); });
});

it("says what goes with a project that is taken off, and with the tour", async () => {
  show();
  await menuOf("tidepool");
  expect(await screen.findByRole("menuitem", { name: /Take off the list/ })).toHaveTextContent("are kept");
  await userEvent.keyboard("{Escape}");
  await menuOf("tour");
  const remove = await screen.findByRole("menuitem", { name: /Remove the tour/ });
  expect(remove).toHaveTextContent("are deleted");
  await userEvent.click(remove);
  await waitFor(() => { expect(calls.at(-1)).toMatchObject({ method: "DELETE", path: "/api/tour/tour" }); });
});

it("opens a row's menu by the right button and by Shift+F10, and gives the row its focus back", async () => {
  show();
  fireEvent.contextMenu(rowOf(/^tidepool/));
  expect(await screen.findByRole("menuitem", { name: /Rename/ })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await waitFor(() => { expect(rowOf(/^tidepool/)).toHaveFocus(); });
  await userEvent.keyboard("{Shift>}{F10}{/Shift}");
  expect(await screen.findByRole("menuitem", { name: /Stop its daemon/ })).toBeVisible();
});

it.each(["narrow", "bottom"] as const)("gives a tile of the %s rail the whole menu of a row", async (shape) => {
  show(shape);
  act(() => { rowOf(/^tidepool,/).focus(); });
  await userEvent.keyboard("{Shift>}{F10}{/Shift}");
  const items = await screen.findAllByRole("menuitem");
  const ways = shape === "bottom" ? ["Move leftAlt ←", "Move rightAlt →"] : ["Move upAlt ↑", "Move downAlt ↓"];
  expect(items.map(({ textContent }) => textContent)).toEqual([
    "RenameF2",
    "Keep at the top",
    ...ways,
    "Restart its daemon",
    "Restart it safelyWithout the project's instructions and settings.",
    "Stop its daemon",
    "Take off the listThe folder and its sessions are kept.",
  ]);
  await userEvent.click(screen.getByRole("menuitem", { name: "Keep at the top" }));
  await waitFor(() => { expect(calls[0]).toMatchObject({ body: { pinned: true } }); });
  await waitFor(() => { expect(rowOf(/^tidepool,/)).toHaveFocus(); });
});

it("goes along the tiles and moves them by the arrows", async () => {
  show("bottom");
  act(() => { rowOf(/^atlas,/).focus(); });
  await userEvent.keyboard("{ArrowRight}");
  expect(rowOf(/^tidepool,/)).toHaveFocus();
  await userEvent.keyboard("{Alt>}{ArrowLeft}{/Alt}");
  expect(order()).toEqual(["tidepool", "atlas", "tour"]);
});

it("renames a tile in a dialog and gives the tile its focus back", async () => {
  show("narrow");
  fireEvent.contextMenu(rowOf(/^tidepool,/));
  await userEvent.click(await screen.findByRole("menuitem", { name: /Rename/ }));
  const field = await screen.findByRole("textbox", { name: "Name of the project" });
  expect(field).toHaveFocus();
  await userEvent.clear(field);
  await userEvent.type(field, "Web{Enter}");
  expect(calls).toEqual([{ method: "PATCH", path: "/api/workspaces/tidepool", body: { name: "Web" } }]);
  await waitFor(() => { expect(rowOf(/^(tidepool|Web),/)).toHaveFocus(); });
});
