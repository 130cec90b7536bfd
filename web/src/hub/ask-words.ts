/** What a waiting item asks, in a few words; never arguments. Pure. */
import type { InboxItem } from "@/generated/hub";

type Asked = Pick<InboxItem, "kind" | "tool" | "program" | "detail">;

/** "Asks to run git", "Asks to change a file", "Has a question" */
export function askWords({ kind, tool, program, detail }: Asked): string {
  if (kind === "question") {
    return "Has a question";
  }
  switch (tool) {
    case "bash":
      return program === "" ? "Asks to run a command" : `Asks to run ${program}`;
    case "edit_file":
    case "write_file":
      return "Asks to change a file";
    case "read_file":
    case "grep":
    case "glob":
      return "Asks to read";
    default:
      return detail === "" ? "Waits for you" : detail;
  }
}
