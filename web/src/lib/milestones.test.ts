import { expect, it } from "vitest";
import type { TodoStep } from "@/generated/daemon";
import { emptyState } from "./events/reducer";
import { milestones } from "./milestones";

const at = (...states: TodoStep["state"][]) => ({
  ...emptyState("ses_1"),
  todo: states.map((state, place): TodoStep => ({ text: `step ${place + 1}`, state })),
});

it("says which step the agent is at, once", () => {
  const first = at("in_progress", "pending");
  expect(milestones(emptyState("ses_1"), first).polite).toEqual(["Step 1 of 2: step 1"]);
  expect(milestones(first, at("in_progress", "pending", "pending")).polite).toEqual([]);
  expect(milestones(first, at("done", "in_progress")).polite).toEqual(["Step 2 of 2: step 2"]);
  expect(milestones(at("done", "in_progress"), at("done", "done")).polite).toEqual([]);
});
