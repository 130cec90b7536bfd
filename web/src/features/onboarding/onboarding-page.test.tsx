import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { TooltipProvider } from "@/components/tooltip";
import type { ProfileChecked } from "@/generated/daemon";
import { checked, ENVIRONMENT, found, NOT_READY, profile, TOUR } from "@/testing/found";
import { type Call, serve } from "@/testing/server";
import { OnboardingPage } from "./onboarding-page";

afterEach(() => {
  vi.unstubAllGlobals();
});

const EVERYTHING = [found(), ENVIRONMENT, NOT_READY, TOUR];

interface Served {
  offers?: typeof EVERYTHING;
  check?: ProfileChecked;
  keyring?: string;
}

function show({ offers = EVERYTHING, check = checked(), keyring = "Secret Service" }: Served = {}) {
  const calls = serve(({ method, path, body }: Call) => {
    if (path === "/api/models/discovered") {
      return { body: { items: offers } };
    }
    if (path === "/api/profiles/check") {
      return { body: check };
    }
    if (path === "/api/profiles" && method === "POST") {
      const { key, consent_file: consent } = body as { key?: string; consent_file?: boolean };
      return keyring === "" && key !== undefined && consent !== true
        ? { status: 409, body: { code: "consent_needed", detail: "No keychain. Keep it in keys.json?" } }
        : { status: 201, body: profile() };
    }
    return { body: path === "/api/profiles" ? { items: [], default: null, workspace: null, keyring } : profile() };
  });
  const onDone = vi.fn();
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <TooltipProvider>
        <OnboardingPage folder="/home/me/atlas" asked={false} onDone={onDone} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  const saved = () => calls.filter(({ method, path }) => method === "POST" && path === "/api/profiles");
  return { calls, onDone, saved, person: userEvent.setup() };
}

it("offers what was found, and Enter goes on with the first that is ready", async () => {
  const { onDone, saved, person } = show();
  const radio = await screen.findByRole("radio", { name: /Ollama/ });
  expect(radio).toBeChecked();
  expect(screen.getByText("not ready")).toBeVisible();
  expect(screen.getAllByRole("radio")).toHaveLength(2);
  expect(screen.getByRole("button", { name: "Continue with qwen3-coder:30b" })).toBeEnabled();
  await person.keyboard("{Enter}");
  await waitFor(() => { expect(onDone).toHaveBeenCalledOnce(); });
  expect(saved()[0]?.body).toMatchObject({ name: "Ollama", model: "qwen3-coder:30b", make_default: "user" });
});

it("tries a key of the environment before it is relied on, and says what is wrong with it", async () => {
  const refused = checked({ ok: false, problem: "OpenAI refused the key (401).", status: 401 });
  const { onDone, saved, person } = show({ check: refused });
  await person.click(await screen.findByRole("radio", { name: /OpenAI key/ }));
  await person.click(screen.getByRole("button", { name: /^Continue/ }));
  expect(await screen.findByRole("alert")).toHaveTextContent("OpenAI refused the key (401).");
  expect(onDone).not.toHaveBeenCalled();
  expect(saved()).toEqual([]);
});

it("takes a saved profile again and saves no second one", async () => {
  const { calls, onDone, saved, person } = show({ offers: [found({ saved_as: "Home" })] });
  await screen.findByRole("radio", { name: /Ollama/ });
  await person.keyboard("{Enter}");
  await waitFor(() => { expect(onDone).toHaveBeenCalled(); });
  expect(saved()).toEqual([]);
  expect(calls.find(({ method }) => method === "PUT")?.body).toEqual({ scope: "user", profile: "Home" });
});

it("shows the words of a refused key and keeps nothing", async () => {
  const { saved, person } = show({ check: checked({ ok: false, problem: "No auth credentials found (401)." }) });
  await person.type(screen.getByLabelText("API key"), "sk-or-wrong{Enter}");
  expect(await screen.findByRole("alert")).toHaveTextContent("No auth credentials found (401).");
  expect(saved()).toEqual([]);
  await person.type(screen.getByLabelText("API key"), "x");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("saves a key that works, and lets the person choose among its models", async () => {
  const { calls, onDone, saved, person } = show();
  await screen.findByRole("radio", { name: /Ollama/ });
  await person.type(screen.getByLabelText("API key"), "sk-or-good{Enter}");
  expect(await screen.findByText("OpenRouter works")).toBeVisible();
  expect(saved()[0]?.body).toMatchObject({ name: "OpenRouter", key: "sk-or-good", model: "qwen3" });
  await person.click(screen.getByRole("button", { name: "qwen3" }));
  const dialog = await screen.findByRole("dialog", { name: "Models of OpenRouter" });
  await person.type(within(dialog).getByRole("combobox"), "kim{Enter}");
  await waitFor(() => { expect(calls.find(({ method }) => method === "PATCH")?.body).toEqual({ model: "kimi" }); });
  await person.click(screen.getByRole("button", { name: "Continue with kimi" }));
  expect(onDone).toHaveBeenCalledOnce();
});

it("keeps a key in a file only after the person's word", async () => {
  const { saved, person } = show({ keyring: "" });
  await screen.findByText(/asked before a file holds the key/);
  await person.type(screen.getByLabelText("API key"), "sk-or-good{Enter}");
  expect(await screen.findByText("No keychain. Keep it in keys.json?")).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Keep it in the file" }));
  expect(await screen.findByText("OpenRouter works")).toBeVisible();
  expect(saved().map(({ body }) => (body as { consent_file?: boolean }).consent_file)).toEqual([undefined, true]);
});

it("says before it saves what there is to know about the address", async () => {
  const { saved, person } = show({ check: checked({ warning: "This address is not encrypted." }) });
  await person.click(screen.getByRole("button", { name: "Any OpenAI-compatible address" }));
  await person.type(screen.getByLabelText("Address of the server"), "http://10.0.0.7:8000/v1{Enter}");
  expect(await screen.findByText("This address is not encrypted.")).toBeVisible();
  expect(saved()).toEqual([]);
  await person.click(screen.getByRole("button", { name: "Save it" }));
  expect(await screen.findByText(/works$/)).toBeVisible();
  expect(saved()[0]?.body).toMatchObject({ name: "10.0.0.7-8000", base_url: "http://10.0.0.7:8000/v1" });
});

it("can be left without a model, and says how the tour is taken where no app frames it", async () => {
  const { onDone, person } = show({ offers: [TOUR] });
  expect(await screen.findByText(/No model server answers/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Continue" })).toBeDisabled();
  expect(screen.getByText(/open this project in Lararium/)).toBeVisible();
  await person.click(screen.getByRole("button", { name: "Skip this for now" }));
  expect(onDone).toHaveBeenCalledOnce();
});
