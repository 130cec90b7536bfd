"""A script in the agent's place that asks the person what the message says, as the loop does."""

import hashlib
from dataclasses import dataclass, field

from tests.fakes.scripted_runner import begin_answer

from lararium_daemon.api.deps import Services
from lararium_daemon.protocol.events import (
    PartAppended,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
)
from lararium_daemon.protocol.ids import (
    new_call_id,
    new_part_id,
    new_question_id,
    new_request_id,
)
from lararium_daemon.protocol.messages import TextPart, ToolCallPart
from lararium_daemon.protocol.permissions import (
    PermissionRequest,
    Question,
    QuestionItem,
    QuestionOption,
)
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session

AT = "2026-11-30T12:00:00.000Z"


@dataclass
class Asking:
    """`edit` asks for a confined edit, `shell` for a command, `question` puts one, `fail` fails."""

    services: list[Services] = field(default_factory=list[Services])
    """Filled by the test once the daemon is there."""

    async def __call__(self, session: Session, run: RunRequest) -> None:
        message_id = await begin_answer(session, run)
        text = _text_of(session)
        if text == "fail":
            end = RunEnded(run.run_id, "error", 0, code="provider_auth", detail="Wrong key.")
            await session.commit([end])
            return
        if text == "question":
            said = await self._question(session, run)
        elif text in {"edit", "shell"}:
            request = _request(session, run, text)
            part = ToolCallPart(new_part_id(), request.call_id, request.tool, request.input)
            await session.commit([PartAppended(message_id, part), PermissionRequested(request)])
            said = await self._decision(session, request)
        else:
            said = "Nothing to ask."
        await session.commit([RunEnded(run.run_id, "completed", 0, text=said)])

    async def _decision(self, session: Session, request: PermissionRequest) -> str:
        broker = self.services[0].broker
        broker.open(request)
        decided = await broker.wait(request.id)
        resolved = PermissionResolved(request.id, decided.decision, decided.scope, "person")
        await session.commit([resolved])
        broker.committed(request.id)
        return f"{decided.decision} {decided.scope}"

    async def _question(self, session: Session, run: RunRequest) -> str:
        options = [QuestionOption("A"), QuestionOption("B")]
        item = QuestionItem("Which one?", options)
        question = Question(new_question_id(), session.id, run.run_id, new_call_id(), [item], AT)
        await session.commit([QuestionAsked(question)])
        desk = self.services[0].questions
        desk.open(question)
        answered = await desk.wait(question.id)
        await session.commit([QuestionResolved(question.id, answered.answers)])
        desk.committed(question.id)
        return ", ".join(answered.answers[0].selected)


def _text_of(session: Session) -> str:
    user = [each for each in session.state.messages if each.role == "user"][-1]
    [part] = user.parts
    return part.text if isinstance(part, TextPart) else ""


def _request(session: Session, run: RunRequest, kind: str) -> PermissionRequest:
    is_edit = kind == "edit"
    shown = "/w/app.py\n+secret" if is_edit else "/w\ngit push secret"
    return PermissionRequest(
        id=new_request_id(),
        session_id=session.id,
        run_id=run.run_id,
        call_id=new_call_id(),
        tool="edit_file" if is_edit else "bash",
        title="Change this file?" if is_edit else "Run this command?",
        reason="No rule allows it.",
        input={"path": "app.py"} if is_edit else {"command": "git push secret"},
        shown=shown,
        shown_sha256=hashlib.sha256(shown.encode()).hexdigest(),
        suggested_rules=["Edit(app.py)"] if is_edit else [],
        created_at=AT,
        program="" if is_edit else "git",
        allow_once=is_edit,
    )
