"""The agent's questions and the person's answers."""

from fastapi import APIRouter, Depends

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import AnswerInput, AnswerTaken, QuestionList
from lararium_daemon.protocol.ids import QuestionId

router = APIRouter(tags=["questions"])


@router.get("/questions", dependencies=[Depends(require("read"))])
async def list_questions(services: ServicesDep) -> QuestionList:
    """Give what waits for an answer, oldest first."""
    return QuestionList(items=services.questions.open_questions())


@router.post("/questions/{question_id}/answer", dependencies=[Depends(require("approve"))])
async def answer_question(
    question_id: QuestionId, given: AnswerInput, services: ServicesDep
) -> AnswerTaken:
    """Take the person's answers; answered once they are committed."""
    return await services.questions.answer(question_id, given)
