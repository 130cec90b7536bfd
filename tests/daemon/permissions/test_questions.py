"""Questions that wait for a person."""

import anyio
import pytest

from lararium_daemon.permissions.questions import Answered, QuestionDesk
from lararium_daemon.protocol.api import AnswerInput, AnswerTaken
from lararium_daemon.protocol.ids import CallId, QuestionId, RunId, SessionId
from lararium_daemon.protocol.permissions import (
    Question,
    QuestionAnswer,
    QuestionItem,
    QuestionOption,
)
from lararium_daemon.protocol.problems import LarariumError

pytestmark = pytest.mark.anyio
OPTIONS = [QuestionOption("A"), QuestionOption("B")]
QUESTION = Question(
    QuestionId("qst_1"),
    SessionId("ses_1"),
    RunId("run_1"),
    CallId("call_1"),
    [QuestionItem("Which?", OPTIONS), QuestionItem("Which ones?", OPTIONS, multiple=True)],
    "2026-01-01T00:00:00Z",
)


async def test_answers_reach_the_waiter_and_return_once_committed() -> None:
    desk = QuestionDesk()
    desk.open(QUESTION)
    answers = [QuestionAnswer(["A"]), QuestionAnswer(["A", "B"], "both")]
    got: list[Answered] = []
    taken: list[AnswerTaken] = []

    async def wait() -> None:
        got.append(await desk.wait(QUESTION.id))
        desk.committed(QUESTION.id)

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            taken.append(await desk.answer(QUESTION.id, AnswerInput(answers=answers)))

    assert got == [Answered(answers, "person")]
    assert taken == [AnswerTaken(question_id=QUESTION.id)]
    assert desk.open_questions() == []


@pytest.mark.parametrize(
    "answers",
    [
        [],
        [QuestionAnswer(["A"])],
        [QuestionAnswer(["C"]), QuestionAnswer([])],
        [QuestionAnswer(["A", "B"]), QuestionAnswer([])],
    ],
)
async def test_answers_that_do_not_fit_are_refused(answers: list[QuestionAnswer]) -> None:
    desk = QuestionDesk()
    desk.open(QUESTION)

    with pytest.raises(LarariumError) as refused:
        await desk.answer(QUESTION.id, AnswerInput(answers=answers))

    assert (refused.value.code, refused.value.status) == ("invalid_answer", 422)
    assert desk.open_questions() == [QUESTION]


async def test_a_withdrawn_question_has_no_answers() -> None:
    desk = QuestionDesk()
    desk.open(QUESTION)
    got: list[Answered] = []

    async def wait() -> None:
        got.append(await desk.wait(QUESTION.id))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert desk.withdraw(QUESTION.id, "interrupt")

    assert got == [Answered([], "interrupt")]
    with pytest.raises(LarariumError) as refused:
        await desk.answer(QuestionId("qst_0"), AnswerInput(answers=[]))
    assert refused.value.code == "unknown_question"
