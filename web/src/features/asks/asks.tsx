import type { PermissionRequest, Question, QuestionAnswer, SessionState } from "@/lib/protocol";
import type { Decision } from "./permission-card";
import { PermissionCard } from "./permission-card";
import { QuestionCard } from "./question-card";
import { SpendCard } from "./spend-card";

interface AsksProps {
  state: SessionState;
  onDecide: (request: PermissionRequest, decision: Decision) => Promise<void>;
  onAnswer: (question: Question, answers: QuestionAnswer[]) => Promise<void>;
}

/** What waits for the person in this session: the oldest as a card, the number of the rest on it. */
export function Asks({ state, onDecide, onAnswer }: AsksProps) {
  const total = state.requests.length + state.questions.length;
  const place = total > 1 ? `1 of ${total}` : null;
  const request = state.requests[0];
  const question = state.questions[0];
  if (request && (!question || request.created_at <= question.created_at)) {
    return (
      <PermissionCard
        key={request.id}
        request={request}
        place={place}
        takesFocus={focusIsFree()}
        onDecide={(decision) => onDecide(request, decision)}
      />
    );
  }
  if (!question) return null;
  const Card = question.spend === null ? QuestionCard : SpendCard;
  return (
    <Card
      key={question.id}
      question={question}
      place={place}
      takesFocus={focusIsFree()}
      onAnswer={(answers) => onAnswer(question, answers)}
    />
  );
}

/** A new card never takes focus from someone who types. */
function focusIsFree(): boolean {
  const { activeElement } = document;
  if (activeElement === null || activeElement === document.body) return true;
  return activeElement instanceof HTMLTextAreaElement && activeElement.value === "";
}
