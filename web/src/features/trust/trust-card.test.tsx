import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { serve } from "@/testing/server";
import { TrustBanner } from "./trust-banner";
import { TrustCard } from "./trust-card";

const GIT = { effect: "run", kind: "git", path: ".git/config", detail: "[core] fsmonitor = ./watch.sh" };

afterEach(() => {
  vi.unstubAllGlobals();
});

function show(state: string, items: object[] = [GIT], taken = 200) {
  const calls = serve(({ method, body }) =>
    method === "POST" && taken !== 200
      ? { status: taken, body: { code: "not_stored", detail: "The decision could not be stored (disk full)." } }
      : { body: { state: body === undefined ? state : "untrusted", decided_at: null, items, problem: "" } },
  );
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TrustCard />
      <TrustBanner onReview={vi.fn()} />
    </QueryClientProvider>,
  );
  return { person: userEvent.setup(), asked: () => calls.length, posted: () => calls.filter(({ method }) => method === "POST") };
}

it("shows each command whole and goes away once it is decided", async () => {
  const { person, posted } = show("undecided");
  expect(await screen.findByText("[core] fsmonitor = ./watch.sh")).toBeVisible();
  expect(screen.getByText("would run")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Not now" }));
  await waitFor(() => { expect(screen.queryByText("Do you trust this folder?")).toBeNull(); });
  expect(posted()[0]?.body).toEqual({ trusted: false });
});

it.each([
  ["there is nothing to trust", "undecided", []],
  ["it was decided", "untrusted", [GIT]],
])("asks nothing where %s", async (_, state, items) => {
  const { asked } = show(state, items);
  await waitFor(() => { expect(asked()).toBe(1); });
  expect(screen.queryByText("Do you trust this folder?")).toBeNull();
  expect(screen.queryByText(/is not trusted yet/)).toBeNull();
});

it("says why a decision was not stored and stays", async () => {
  const { person } = show("undecided", [GIT], 507);
  await person.click(await screen.findByRole("button", { name: "Trust this folder" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("could not be stored (disk full)");
  expect(screen.getByRole("button", { name: "Trust this folder" })).toBeEnabled();
});
