import { expect, it } from "vitest";
import { inboxItem } from "@/testing/inbox";
import { askWords } from "./ask-words";

it("says what is asked by its kind and never by its arguments", () => {
  expect(askWords(inboxItem("a"))).toBe("Asks to run git");
  expect(askWords(inboxItem("a", { program: "" }))).toBe("Asks to run a command");
  expect(askWords(inboxItem("a", { tool: "write_file" }))).toBe("Asks to change a file");
  expect(askWords(inboxItem("a", { kind: "question", tool: "" }))).toBe("Has a question");
  expect(askWords(inboxItem("a", { tool: "mcp__db__query", detail: "Use db: query?" }))).toBe("Use db: query?");
});
