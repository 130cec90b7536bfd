import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { profile } from "@/testing/found";
import { serve } from "@/testing/server";
import { ModelMenu } from "./model-menu";

afterEach(() => {
  vi.unstubAllGlobals();
});

async function open(model: string | null) {
  const profiles = [
    profile({ in_use: true, name: "Ollama", model: "llama3" }),
    profile(),
    profile({ name: "Broken", problem: "Its key cannot be read." }),
  ];
  serve(({ path }) => ({
    body:
      path === "/api/profiles"
        ? { items: profiles, default: null, workspace: null, keyring: "" }
        : { items: [{ name: "llama3", context_window: 8_000 }], default: "llama3", problem: "", profile: "Ollama" },
  }));
  const on = { onChange: vi.fn(), onAdd: vi.fn() };
  render(
    <QueryClientProvider client={new QueryClient()}>
      <ModelMenu model={model} {...on} />
    </QueryClientProvider>,
  );
  await userEvent.click(await screen.findByRole("button", { name: /^Model: / }));
  await screen.findByText("Other servers");
  return on;
}

it("offers the models of the server in use, and other servers that work", async () => {
  const { onChange } = await open(null);
  expect(screen.getAllByRole("menuitemradio").map(({ textContent }) => textContent)).toEqual([
    "Defaultllama3",
    "llama3holds 8k tokens",
    "qwen3OpenRouter",
  ]);
  await userEvent.click(screen.getByRole("menuitemradio", { name: /qwen3/ }));
  expect(onChange).toHaveBeenCalledWith("OpenRouter/qwen3");
});

it("lists a chosen model once", async () => {
  await open("OpenRouter/qwen3");
  expect(screen.getAllByRole("menuitemradio", { checked: true })).toHaveLength(1);
});

it("leads to the page that adds a model", async () => {
  const { onAdd } = await open(null);
  await userEvent.click(screen.getByRole("menuitem", { name: "Add a model…" }));
  expect(onAdd).toHaveBeenCalledOnce();
});
