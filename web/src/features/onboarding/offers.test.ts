import { expect, it } from "vitest";
import { ENVIRONMENT, found, NOT_READY, TOUR } from "@/testing/found";
import { factsOf, firstChoice, offersOf, profileOf } from "./offers";

it("gives the tour a place of its own", () => {
  expect(offersOf([found(), TOUR]).map(({ id }) => id)).toEqual(["ollama"]);
});

it("chooses what answers already, else the first that is ready", () => {
  expect(firstChoice([NOT_READY, found(), ENVIRONMENT])).toBe("ollama");
  expect(firstChoice([found(), { ...ENVIRONMENT, in_use: true }])).toBe(ENVIRONMENT.id);
  expect(firstChoice([NOT_READY])).toBeNull();
});

it("names the variable of a key and never copies it", () => {
  expect(profileOf(ENVIRONMENT)).toEqual({
    name: "OpenAI",
    kind: "chat",
    base_url: "https://api.openai.com/v1",
    model: "",
    make_default: "user",
    key_variable: "OPENAI_API_KEY",
  });
  expect(profileOf(found())).not.toHaveProperty("key_variable");
});

it("does not say of another user's server that all stays with you", () => {
  expect(factsOf(found())).toBe("and 1 more · free, stays on this computer");
  expect(factsOf(found({ own_listener: false }))).toContain("maybe of another user");
  expect(factsOf(NOT_READY)).toBe(NOT_READY.problem);
});
