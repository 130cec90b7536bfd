import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { type Call, serve } from "@/testing/server";
import { CopilotLogin } from "./copilot-login";

const LOGIN = {
  id: "login_1",
  state: "waiting",
  user_code: "LAR-4711",
  verification_uri: "https://github.com/login/device",
  expires_at: "2026-11-30T10:15:00Z",
  profile: "GitHub Copilot",
  problem: "",
};

afterEach(() => {
  vi.unstubAllGlobals();
});

function show(answer: (call: Call) => { status?: number; body?: unknown }) {
  const calls = serve(answer);
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <CopilotLogin />
    </QueryClientProvider>,
  );
  return { calls, person: userEvent.setup() };
}

it("shows the code and where to type it, then that it is done", async () => {
  let looks = 0;
  const { person } = show(({ method, path }) => {
    looks += path === "/api/logins/login_1" ? 1 : 0;
    return { body: method === "GET" && looks > 1 ? { ...LOGIN, state: "done" } : LOGIN };
  });
  await person.click(screen.getByRole("button", { name: "Log in" }));
  expect(await screen.findByText("LAR-4711")).toBeVisible();
  expect(screen.getByText("https://github.com/login/device")).toBeVisible();
  expect(await screen.findByText(/You are logged in/, undefined, { timeout: 5000 })).toBeVisible();
});

it("asks before a login is kept in a file, and sends the consent", async () => {
  const refusal = { status: 409, body: { code: "consent_needed", detail: "It can go into keys.json, if you agree." } };
  const { calls, person } = show(({ body }) => ((body as { consent_file?: boolean } | undefined)?.consent_file === false ? refusal : { body: LOGIN }));
  await person.click(screen.getByRole("button", { name: "Log in" }));
  expect(await screen.findByRole("alert")).toHaveTextContent("keys.json");
  await person.click(screen.getByRole("button", { name: "Keep it in a file and log in" }));
  expect(await screen.findByText("LAR-4711")).toBeVisible();
  expect(calls.filter(({ method }) => method === "POST").map(({ body }) => body)).toEqual([{ consent_file: false }, { consent_file: true }]);
});
