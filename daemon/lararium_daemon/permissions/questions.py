"""The agent's questions that wait for a person, and the answers to them.

The same three steps as for permission requests: open, wait, commit, `committed`.
"""

from dataclasses import dataclass

from lararium_daemon.permissions.desk import Desk
from lararium_daemon.protocol.api import AnswerInput, AnswerTaken
from lararium_daemon.protocol.ids import QuestionId
from lararium_daemon.protocol.permissions import (
    Question,
    QuestionAnswer,
    QuestionItem,
    ResolvedBy,
)
from lararium_daemon.protocol.problems import LarariumError


@dataclass(slots=True, frozen=True)
class Answered:
    """How a question ended; no answers when it was withdrawn."""

    answers: list[QuestionAnswer]
    by: ResolvedBy


class QuestionDesk:
    """Open questions of all sessions."""

    def __init__(self) -> None:
        self._desk: Desk[Question, Answered] = Desk("question")

    def open(self, question: Question) -> None:
        """Put a question to the person; `question.asked` is committed."""
        self._desk.put(question.id, question)

    def open_questions(self) -> list[Question]:
        """Give the questions that wait, oldest first."""
        return self._desk.items()

    async def wait(self, question_id: QuestionId) -> Answered:
        """Wait, without limit, for the answers or a withdrawal."""
        return await self._desk.wait(question_id)

    def committed(self, question_id: QuestionId) -> None:
        """Say that `question.resolved` is durable; lets `answer` return."""
        self._desk.committed(question_id)

    async def answer(self, question_id: QuestionId, given: AnswerInput) -> AnswerTaken:
        """Take the person's answers; return once they are committed.

        Raises:
            LarariumError: 404 `unknown_question`, 409 `already_resolved`, 422 `invalid_answer`,
                503 `not_committed`.
        """
        question = self._desk.find(question_id)
        if len(given.answers) != len(question.items):
            raise LarariumError(
                "invalid_answer",
                f"{len(question.items)} answers are needed, one for each item; "
                f"{len(given.answers)} came.",
                422,
            )
        for item, answer in zip(question.items, given.answers, strict=True):
            _check(item, answer)
            if question.spend is not None and not answer.selected:
                detail = "This one is answered with Continue or Stop alone."
                raise LarariumError("invalid_answer", detail, 422)
        await self._desk.settle(question_id, Answered(list(given.answers), "person"))
        return AnswerTaken(question_id=question_id)

    def withdraw(self, question_id: QuestionId, by: ResolvedBy) -> bool:
        """Close a question without an answer. Give whether it was open."""
        return self._desk.withdraw(question_id, Answered([], by))


def _check(item: QuestionItem, answer: QuestionAnswer) -> None:
    labels = {option.label for option in item.options}
    unknown = [label for label in answer.selected if label not in labels]
    if unknown:
        raise LarariumError(
            "invalid_answer", f"{unknown[0]!r} is not an option of {item.text!r}.", 422
        )
    if len(answer.selected) > 1 and not item.multiple:
        raise LarariumError("invalid_answer", f"{item.text!r} takes one option only.", 422)
