import { sentenceOf } from "@/lib/api-client";
import { patchSession } from "@/lib/session-actions";
import { showToast } from "@/lib/toasts";

type Change = Parameters<typeof patchSession>[1];

/** Change a session; archiving can be taken back at once. */
export async function changeSession(id: string, change: Change): Promise<void> {
  try {
    await patchSession(id, change);
    if (change.archived === true) {
      showToast("Archived the session", {
        action: { label: "Undo", onSelect: () => void changeSession(id, { archived: false }) },
      });
    }
  } catch (error) {
    showToast(sentenceOf(error), { tone: "bad" });
  }
}
