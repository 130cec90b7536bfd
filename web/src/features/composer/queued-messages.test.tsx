import { Provider } from "@radix-ui/react-tooltip";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { emptyState } from "@/lib/events/reducer";
import { userMessage } from "@/testing/envelopes";
import { type Call, serve } from "@/testing/server";
import { QueuedMessages } from "./queued-messages";

it("changes a message in its place by the keyboard, and Escape leaves it as it was", async () => {
  const user = userEvent.setup();
  const calls: Call[] = serve(() => ({}));
  const state = { ...emptyState("s"), messages: [userMessage("m1", "Then this", null)] };
  render(
    <Provider>
      <QueuedMessages state={state} />
    </Provider>,
  );
  await user.click(screen.getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Queued message" }), "?{Escape}");
  expect(calls).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Edit" }));
  await user.type(screen.getByRole("textbox", { name: "Queued message" }), ", quickly{Enter}");
  expect(calls).toEqual([
    { method: "PATCH", path: "/api/sessions/s/queue/m1", body: { text: "Then this, quickly" } },
  ]);
  expect(await screen.findByText("Then this")).toBeVisible();
});
