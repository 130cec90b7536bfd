import { expect, it } from "vitest";
import { draftOf, writeDraft } from "@/features/composer/drafts";
import { emptyState } from "@/lib/events/reducer";
import { useEvents } from "@/lib/events/store";
import { showSession } from "@/lib/front-session";
import type { Message } from "@/lib/protocol";
import { takeLastMessage } from "./last-message";

const said = (role: Message["role"], text: string): Message => ({
  message_id: text, role, run_id: "r", parts: [{ type: "text", part_id: text, text }], created_at: "", client_message_id: null, cut: false, reasoning: null,
});

function press(value: string, given: KeyboardEventInit = {}): boolean {
  const field = document.createElement("textarea");
  field.dataset["composer"] = "";
  field.value = value;
  const event = new KeyboardEvent("keydown", { key: "ArrowUp", ...given });
  Object.defineProperty(event, "target", { value: field });
  return takeLastMessage(event);
}

it("brings the person's last message back into an empty composer, and into no other", () => {
  const state = { ...emptyState("s"), messages: [said("user", "first"), said("user", "second"), said("assistant", "answer")] };
  useEvents.setState({ followed: { s: { state, epoch: "e", stale: false } } });
  showSession("s");
  expect(press("", { shiftKey: true })).toBe(false);
  expect(press("typed")).toBe(false);
  expect(press("")).toBe(true);
  expect(draftOf("s").text).toBe("second");
  writeDraft("s", "");
  showSession(null);
  expect(press("")).toBe(false);
});
