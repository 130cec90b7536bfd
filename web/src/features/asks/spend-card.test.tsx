import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Question, QuestionAnswer } from "@/lib/protocol";
import { SpendCard } from "./spend-card";

const QUESTION: Question = {
  id: "qst_1",
  session_id: "ses_1",
  run_id: "run_1",
  call_id: "",
  items: [
    {
      text: "This run has cost $1.02; the cap is $1.00. Go on?",
      options: [
        { label: "Continue", description: "Raises the cap to $2.00." },
        { label: "Stop", description: "Ends the run. What was done is kept." },
      ],
      multiple: false,
    },
  ],
  created_at: "2026-11-30T10:00:00Z",
  spend: { scope: "run", cap_usd: 1, spent_usd: 1.02, next_cap_usd: 2 },
};

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function show() {
  const given: QuestionAnswer[][] = [];
  const onAnswer = (answers: QuestionAnswer[]) => {
    given.push(answers);
    return Promise.resolve();
  };
  render(<SpendCard question={QUESTION} place={null} takesFocus onAnswer={onAnswer} />);
  return given;
}

it("says what was spent and what going on allows, and takes one answer", () => {
  const given = show();
  expect(screen.getByText(/has cost \$1.02; the cap is \$1.00/)).toBeVisible();
  expect(screen.getByText("Raises the cap to $2.00.")).toBeVisible();
  fireEvent.click(screen.getByRole("button", { name: /Continue/ }));
  fireEvent.click(screen.getByRole("button", { name: /Stop/ }));
  expect(given).toEqual([[{ selected: ["Continue"], text: "" }]]);
});

it("stops by its key, once it has had focus for half a second", () => {
  const given = show();
  const card = screen.getByRole("region", { name: "Spend more?" });
  fireEvent.keyDown(card, { key: "2" });
  expect(given).toEqual([]);
  act(() => vi.advanceTimersByTime(600));
  fireEvent.keyDown(card, { key: "2" });
  expect(given).toEqual([[{ selected: ["Stop"], text: "" }]]);
});
