import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { InboxItem } from "@/generated/hub";
import { EMPTY_SHELL } from "@/hub/shell-model";
import { useShell } from "@/hub/shell-store";
import { useView } from "@/hub/view";
import { FINISHED, inboxItem, QUESTION, REQUEST, shellState, workspace } from "@/testing/inbox";
import { type Call, serve } from "@/testing/server";
import { InboxPage } from "./inbox-page";

function say(...inbox: InboxItem[]): void {
  act(() => {
    useShell.setState({ ...EMPTY_SHELL, state: shellState({ inbox, workspaces: [workspace("a")] }) });
  });
}

interface Served {
  question?: boolean;
  outcome?: "taken" | "elsewhere";
  refuse?: boolean;
}

function show({ question = false, outcome = "taken", refuse = false }: Served = {}) {
  const calls = serve(({ method, path }: Call) => {
    if (method === "POST") {
      return refuse
        ? { status: 409, body: { code: "shown_mismatch", detail: "It changed meanwhile." } }
        : { body: { id: "x", outcome } };
    }
    const item = inboxItem(decodeURIComponent(path.split("/").at(-1) ?? ""));
    return { body: { item, request: question ? null : REQUEST, question: question ? QUESTION : null } };
  });
  render(
    <TooltipProvider>
      <InboxPage />
    </TooltipProvider>,
  );
  return { answers: () => calls.filter(({ method }) => method === "POST"), person: userEvent.setup() };
}

beforeEach(() => {
  useView.setState({ view: { is: "inbox" }, palette: false });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  useShell.setState(EMPTY_SHELL);
});

it("shows the whole command and answers with the hash of what was shown, once", async () => {
  say(inboxItem("a.ask_1"));
  const { answers, person } = show();
  expect(screen.getByRole("heading", { name: "One thing waits for you" })).toBeVisible();
  expect(await screen.findByLabelText("The command")).toHaveTextContent("git push origin");
  const allow = screen.getByRole("button", { name: /Allow once/ });
  await person.dblClick(allow);
  expect(answers()).toEqual([
    { method: "POST", path: "/api/inbox/a.ask_1/answer", body: { action: "allow_once", shown_sha256: "hash-of-it" } },
  ]);
  await waitFor(() => { expect(screen.queryByLabelText("The command")).toBeNull(); });
});

it("begins with the keyboard on the oldest, and takes a key only after half a second there", async () => {
  say(inboxItem("a.ask_1"));
  const { answers } = show();
  await screen.findByLabelText("The command");
  const card = screen.getByRole("article");
  expect(card).toHaveFocus();
  const since = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => since + 100);
  fireEvent.keyDown(card, { key: "n" });
  expect(answers()).toEqual([]);
  clock.mockImplementation(() => since + 900);
  fireEvent.keyDown(card, { key: "n" });
  await waitFor(() => { expect(answers()[0]?.body).toMatchObject({ action: "deny" }); });
});

it("offers to allow unseen only where the rule says so, until the whole is there", async () => {
  vi.stubGlobal("fetch", () => new Promise(() => undefined));
  say(inboxItem("a.ask_1"), inboxItem("a.ask_2", { buttons: ["allow_once", "deny"], title: "Notes" }));
  render(
    <TooltipProvider>
      <InboxPage />
    </TooltipProvider>,
  );
  await waitFor(() => { expect(screen.getAllByRole("button", { name: "Review…" })).toHaveLength(2); });
  const [first, second] = screen.getAllByRole("article");
  expect(within(first!).queryByRole("button", { name: "Allow once" })).toBeNull();
  expect(within(second!).getByRole("button", { name: "Allow once" })).toBeVisible();
});

it("answers a question by its number, or in the person's own words", async () => {
  say(inboxItem("a.que_1", { kind: "question", buttons: [] }));
  const { answers, person } = show({ question: true });
  await person.click(await screen.findByRole("button", { name: /Logical/ }));
  await waitFor(() => {
    expect(answers()[0]?.body).toEqual({ action: "answer", answers: [{ selected: ["Logical"], text: "" }] });
  });
});

it("says for a moment that somebody else was first", async () => {
  say(inboxItem("a.ask_1"));
  const { person } = show({ outcome: "elsewhere" });
  await person.click(await screen.findByRole("button", { name: /^Deny$/ }));
  expect(await screen.findByText("Answered elsewhere")).toBeVisible();
  vi.useFakeTimers();
  say();
  expect(screen.getByText("Answered elsewhere")).toBeVisible();
  act(() => { vi.advanceTimersByTime(1_600); });
  expect(screen.getByRole("heading", { name: "Nothing waits for you" })).toBeVisible();
});

it("does not let a card vanish under the hand when it was answered in the tray", async () => {
  say(inboxItem("a.ask_1"));
  show();
  await screen.findByLabelText("The command");
  vi.useFakeTimers();
  say();
  expect(screen.getByText("Answered or withdrawn elsewhere")).toBeVisible();
  expect(screen.queryByRole("button", { name: /Allow/ })).toBeNull();
  act(() => { vi.advanceTimersByTime(1_600); });
  expect(screen.queryByRole("article")).toBeNull();
});

it("keeps the card and says why when the answer was not taken", async () => {
  say(inboxItem("a.ask_1"));
  const { person } = show({ refuse: true });
  await person.click(await screen.findByRole("button", { name: /^Deny$/ }));
  expect(await screen.findByRole("alert")).toHaveTextContent("It changed meanwhile.");
  expect(screen.getByRole("button", { name: /^Deny$/ })).toBeEnabled();
});

it("goes from item to item by J and K, and takes what ended off the list by Delete", async () => {
  say(inboxItem("a.ask_1"), FINISHED);
  const { answers, person } = show();
  await screen.findByLabelText("The command");
  await person.keyboard("j");
  const row = screen.getByRole("button", { name: /^atlas-api, finished/ });
  expect(row).toHaveFocus();
  await person.keyboard("k");
  expect(screen.getByRole("article")).toHaveFocus();
  await person.keyboard("j{Delete}");
  await waitFor(() => { expect(answers()[0]).toMatchObject({ body: { action: "dismiss" } }); });
});

it("opens the session of a card by Enter", async () => {
  say(inboxItem("a.ask_1"));
  const { person } = show();
  await screen.findByLabelText("The command");
  await person.keyboard("{Enter}");
  expect(useView.getState().view.is).toBe("project");
  expect(useShell.getState().selected).toBe("a");
});

it("says what goes on where nothing waits, and shows what finished on demand", async () => {
  say(FINISHED);
  const { person } = show();
  await person.click(screen.getByRole("radio", { name: "Waiting 0" }));
  expect(screen.getByRole("heading", { name: "Nothing waits for you" })).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Show what finished" }));
  expect(screen.getByText("Explain the chart cache")).toBeVisible();
});
