import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import { useEvents } from "@/lib/events/store";
import { showSession, useFrontSession } from "@/lib/front-session";
import { row } from "@/testing/rows";
import { serve } from "@/testing/server";
import { SessionsPanel } from "./sessions-panel";

function show(): void {
  render(
    <TooltipProvider>
      <SessionsPanel folder="/work/atlas" inBrowser={false} onChosen={() => undefined} onClose={null} />
    </TooltipProvider>,
  );
}

const now = () => new Date().toISOString();

beforeEach(() => {
  const rows = [
    row("a", { title: "Limits", activity: "needs_you", fact: "git push", updated_at: now() }),
    row("b", { title: "Billing", updated_at: now() }),
  ];
  useEvents.setState({ rows: Object.fromEntries(rows.map((one) => [one.id, one])) });
  showSession(null);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it("says the state of each session in words", () => {
  show();
  expect(screen.getByRole("button", { name: "Limits, waits for you, git push" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Billing, finished" })).toBeVisible();
});

it("is one stop for Tab; arrows move and Enter opens", async () => {
  show();
  const person = userEvent.setup();
  const first = screen.getByRole("button", { name: /^Limits/ });
  const second = screen.getByRole("button", { name: /^Billing/ });
  expect([first.tabIndex, second.tabIndex]).toEqual([0, -1]);
  first.focus();
  await person.keyboard("{ArrowDown}");
  expect(second).toHaveFocus();
  await person.keyboard("{Enter}");
  expect(useFrontSession.getState().id).toBe("b");
});

it("opens the menu of a row by the menu key and by the right button", async () => {
  show();
  const person = userEvent.setup();
  const second = screen.getByRole("button", { name: /^Billing/ });
  second.focus();
  await person.keyboard("{ContextMenu}");
  expect(await screen.findByRole("menuitem", { name: "Archive" })).toBeVisible();
  await person.keyboard("{Escape}");
  await waitFor(() => { expect(second).toHaveFocus(); });
  fireEvent.contextMenu(second);
  expect(await screen.findByRole("menuitem", { name: "Archive" })).toBeVisible();
});

it("renames by F2, and an Enter of an input method does not end it", async () => {
  const calls = serve(({ body }) => ({ body: row("b", { ...(body as object), updated_at: now() }) }));
  show();
  const person = userEvent.setup();
  screen.getByRole("button", { name: /^Billing/ }).focus();
  await person.keyboard("{F2}");
  const field = screen.getByRole("textbox", { name: "Title of the session" });
  await person.clear(field);
  await person.type(field, "Invoices");
  fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
  expect(calls).toEqual([]);
  await person.keyboard("{Enter}");
  await waitFor(() => { expect(screen.getByRole("button", { name: /^Invoices/ })).toHaveFocus(); });
  expect(calls).toEqual([{ method: "PATCH", path: "/api/sessions/b", body: { title: "Invoices" } }]);
});

it("leaves the title as it was on Esc", async () => {
  const calls = serve(() => ({}));
  show();
  const person = userEvent.setup();
  screen.getByRole("button", { name: /^Billing/ }).focus();
  await person.keyboard("{F2}Other{Escape}");
  expect(screen.getByRole("button", { name: /^Billing/ })).toHaveFocus();
  expect(calls).toEqual([]);
});

const HIT = { session_id: "b", message_id: "msg_7", at: now(), snippet: "the \u2068refund\u2069 limit" };

it("finds in the text of all sessions, by the keyboard alone, and goes to the message", async () => {
  const calls = serve(() => ({ body: { items: [HIT], next_cursor: null } }));
  show();
  const person = userEvent.setup();
  await person.type(screen.getByRole("searchbox"), "refund");
  const hit = await screen.findByRole("button", { name: /refund limit/ });
  expect(hit).toHaveTextContent("Billing");
  expect(within(hit).getByText("refund").tagName).toBe("MARK");
  expect(calls).toEqual([{ method: "GET", path: "/api/search?q=refund&limit=50", body: undefined }]);
  await person.keyboard("{ArrowDown}");
  expect(hit).toHaveFocus();
  await person.keyboard("{Enter}");
  expect(useFrontSession.getState()).toMatchObject({ id: "b", target: { messageId: "msg_7" } });
});

it("says that nothing was found, and why the text could not be searched", async () => {
  let answer: { status?: number; body: unknown } = { body: { items: [], next_cursor: null } };
  serve(() => answer);
  show();
  const person = userEvent.setup();
  await person.type(screen.getByRole("searchbox"), "zz");
  expect(await screen.findByText("No title and no message holds “zz”.")).toBeVisible();
  answer = { status: 503, body: { code: "busy", detail: "The index is made anew." } };
  await person.type(screen.getByRole("searchbox"), "z");
  expect(await screen.findByText("The text was not searched: The index is made anew.")).toBeVisible();
});

it("opens a row's menu and asks before it deletes, both by keys", async () => {
  serve(() => ({}));
  show();
  const person = userEvent.setup();
  screen.getByRole("button", { name: /^Billing/ }).focus();
  await person.keyboard("{Delete}");
  expect(await screen.findByRole("dialog", { name: "Delete “Billing”?" })).toBeVisible();
});
