import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { TodoStep } from "@/generated/daemon";
import { progressOf } from "./progress";
import { TodoList } from "./todo-list";

const STEPS: TodoStep[] = [
  { text: "Read the limits", state: "done" },
  { text: "Ask for a key", state: "cancelled" },
  { text: "Limit by key", state: "in_progress" },
  { text: "Run the tests", state: "pending" },
];

function show(sessionId: string, steps: TodoStep[], running = true) {
  return render(<TodoList sessionId={sessionId} steps={steps} running={running} />);
}

it("is one line with how far the agent is and what it is at", () => {
  show("a", STEPS);
  expect(screen.getByRole("button", { name: "1 of 3 steps: Limit by key" })).toHaveAttribute("aria-expanded", "false");
  expect(screen.queryByRole("list")).toBeNull();
});

it("opens by keyboard to all steps, each with its state in words, and stays open as the list changes", async () => {
  const { rerender } = show("b", STEPS);
  const person = userEvent.setup();
  await person.tab();
  await person.keyboard("{Enter}");
  const statesOf = () => screen.getAllByRole("listitem").map((line) => within(line).getByRole("img").getAttribute("aria-label"));
  expect(statesOf()).toEqual(["done", "dropped", "in progress", "to do"]);
  expect(screen.getByText("Limit by key", { selector: "li span" }).closest("li")).toHaveAttribute("aria-current", "step");
  rerender(<TodoList sessionId="b" steps={STEPS.map(({ text }) => ({ text, state: "done" as const }))} running={false} />);
  expect(statesOf()).toEqual(["done", "done", "done", "done"]);
  expect(screen.getByRole("button", { name: "4 of 4 steps: All steps are done" })).toBeVisible();
});

it("turns nothing while the agent is not at work", () => {
  const { container } = show("c", STEPS, false);
  expect(container.querySelector('[data-mark="running"]')).toBeNull();
});

it("is not there before the agent made a list", () => {
  const { container } = show("d", []);
  expect(container).toBeEmptyDOMElement();
});

it("names what is next when nothing is in progress", () => {
  expect(progressOf([{ text: "one", state: "done" }, { text: "two", state: "pending" }]).current?.text).toBe("two");
  expect(progressOf([{ text: "one", state: "cancelled" }])).toEqual({ done: 0, total: 0, current: null });
});
