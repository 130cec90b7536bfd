import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it } from "vitest";
import { usePageFacts } from "@/hub/page-facts";
import { EMPTY_SHELL } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { openPalette, useView } from "@/hub/view";
import { inboxItem, shellState, workspace } from "@/testing/inbox";
import { Palette } from "./palette";

beforeEach(() => {
  const workspaces = [workspace("atlas"), workspace("orrery")];
  useShell.setState({
    ...EMPTY_SHELL,
    selected: "atlas",
    state: shellState({ workspaces, inbox: [inboxItem("orrery.ask_1", { workspace_id: "orrery", workspace_name: "orrery" })] }),
    frames: { orrery: { url: "http://127.0.0.1:4001/", origin: "http://127.0.0.1:4001" } },
  });
  usePageFacts.setState({
    sessions: { orrery: [{ id: "ses_9", title: "Nightly import", activity: "running", updated_at: "2026-11-30T10:00:00Z" }] },
  });
  openPalette();
  render(<Palette />);
});
afterEach(() => {
  useShell.setState(EMPTY_SHELL);
});

it("begins with what waits, and Enter goes there", async () => {
  const options = screen.getAllByRole("option");
  expect(options[0]).toHaveTextContent("Asks to run git");
  expect(options[0]).toHaveAttribute("aria-selected", "true");
  await userEvent.keyboard("{Enter}");
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(useShell.getState().selected).toBe("orrery");
});

it("is worked by the keyboard alone: words, arrows, Enter", async () => {
  const field = screen.getByRole("combobox");
  expect(field).toHaveFocus();
  await userEvent.keyboard("@{ArrowDown}");
  const second = screen.getByRole("option", { name: /orrery/ });
  expect(field).toHaveAttribute("aria-activedescendant", second.id);
  await userEvent.keyboard("{Enter}");
  expect(useShell.getState().selected).toBe("orrery");
});

it("finds a session of another project", async () => {
  await userEvent.keyboard("nightly");
  expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["Nightly importorrery"]);
  expect(screen.getByRole("status")).toHaveTextContent("1 result");
});

it("goes to the settings and closes by Esc", async () => {
  await userEvent.keyboard("appearance{Enter}");
  expect(useView.getState()).toEqual({ view: { is: "settings", section: "appearance" }, palette: false });
});
