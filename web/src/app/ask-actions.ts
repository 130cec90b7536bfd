import type { AnswerTaken, DecisionInput, DecisionTaken } from "@/generated/daemon";
import { ApiError, api } from "@/lib/api-client";
import type { PermissionRequest, Question, QuestionAnswer } from "@/lib/protocol";
import { showToast } from "@/lib/toasts";

type Decision = Pick<DecisionInput, "decision" | "scope" | "reason">;

/** Whether the ask was closed elsewhere meanwhile: said, and no error of this page. */
function closedElsewhere(error: unknown): boolean {
  return error instanceof ApiError && (error.code === "already_resolved" || error.status === 404);
}

/** Decide on exactly what was shown; the hash proves it. */
export async function decideRequest(request: PermissionRequest, decision: Decision): Promise<void> {
  const input: DecisionInput = { ...decision, shown_sha256: request.shown_sha256 };
  try {
    await api.post<DecisionTaken>(`/api/permissions/requests/${encodeURIComponent(request.id)}/decision`, input);
  } catch (error) {
    if (!closedElsewhere(error)) {
      throw error;
    }
    showToast("Answered elsewhere: the first answer counts.");
  }
}

export async function answerQuestion(question: Question, answers: QuestionAnswer[]): Promise<void> {
  try {
    await api.post<AnswerTaken>(`/api/questions/${encodeURIComponent(question.id)}/answer`, { answers });
  } catch (error) {
    if (!closedElsewhere(error)) {
      throw error;
    }
    showToast("Answered elsewhere: the first answer counts.");
  }
}
