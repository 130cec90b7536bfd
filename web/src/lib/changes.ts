import type { Message } from "@/lib/protocol";

interface Changes {
  files: number;
  added: number;
  removed: number;
}

/** Sum up what the calls of a session changed in files. */
export function changesOf(messages: readonly Message[]): Changes {
  const paths = new Set<string>();
  let added = 0;
  let removed = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      const diff = part.type === "tool_call" && part.state === "completed" ? part.result?.diff : null;
      // A file that was written as it was has not changed.
      if (diff && diff.added + diff.removed > 0) {
        paths.add(diff.path);
        added += diff.added;
        removed += diff.removed;
      }
    }
  }
  return { files: paths.size, added, removed };
}
