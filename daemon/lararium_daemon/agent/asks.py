"""What one run asks the person: put, waited for, and resolved in the right order with its commit.

An ask that a restart left open is taken up again: as long as its call would still do what the
person was shown, it keeps its id and its card. One whose call would do something else by now is
withdrawn and put anew.
"""

import hashlib
from collections.abc import Callable

from lararium_daemon.agent.ports import Gate, Recorder, Resolution, Ruling, RunPlan
from lararium_daemon.agent.staging import Staging
from lararium_daemon.protocol.events import (
    Event,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
)
from lararium_daemon.protocol.ids import CallId, new_question_id, new_request_id
from lararium_daemon.protocol.messages import ToolCallPart
from lararium_daemon.protocol.permissions import (
    PermissionRequest,
    Question,
    QuestionAnswer,
    QuestionItem,
    SpendLimit,
)
from lararium_daemon.protocol.text import whole_text
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.tools.registry import AnyTool, Preview

_TITLES = {"Bash": "Run this command?", "Edit": "Change this file?", "Read": "Read this file?"}
_OUTDATED = "Since the restart the call would do something else than was shown."


class Asks:
    """The open asks and questions of one run."""

    def __init__(self, plan: RunPlan, recorder: Recorder, staging: Staging, gate: Gate) -> None:
        self._plan = plan
        self._recorder = recorder
        self._staging = staging
        self._gate = gate
        self._resolved: list[PermissionRequest] = []
        """Requests whose resolution waits for its commit."""

    def has_unconfirmed(self) -> bool:
        """Whether somebody who decided waits for the commit."""
        return bool(self._resolved)

    async def commit(self) -> None:
        """Commit what is staged, and tell those who decided whether their decisions count."""
        try:
            await self._staging.commit()
        except BaseException:
            while self._resolved:
                self._gate.withdraw(self._resolved.pop())
            raise
        self.confirm()

    def confirm(self) -> None:
        """Tell those who decided that their decisions are committed."""
        while self._resolved:
            self._gate.committed(self._resolved.pop())

    def left_open(self, part: ToolCallPart, preview: Preview | None) -> PermissionRequest | None:
        """Give the call's ask of before a restart; one that is not about this preview is closed."""
        requests = self._recorder.state.requests
        left = next((each for each in requests if each.call_id == part.call_id), None)
        if left is None or (preview is not None and left.shown == _shown(preview)):
            return left
        self._staging.add(PermissionResolved(left.id, "deny", "once", "restart", _OUTDATED))
        return None

    async def permission(
        self,
        part: ToolCallPart,
        tool: AnyTool,
        preview: Preview,
        ruling: Ruling,
        left: PermissionRequest | None,
    ) -> Resolution:
        """Ask and wait, without limit; the resolution is staged for the next commit."""
        request = left or self._request(part, tool, preview, ruling)
        self._gate.open_request(request, tool, preview)
        try:
            if left is None:
                self._staging.add(PermissionRequested(request))
            await self._staging.commit()
            end = await self._gate.resolution(request)
        except BaseException:
            self._gate.withdraw(request)
            raise
        self._resolved.append(request)
        self._staging.add(
            PermissionResolved(request.id, end.decision, end.scope, end.by, end.reason)
        )
        return end

    def has_open_question(self, part: ToolCallPart) -> bool:
        """Whether the call waits for answers."""
        return self._open_question(part.call_id) is not None

    async def question(
        self,
        call_id: CallId,
        items: list[QuestionItem],
        *,
        spend: SpendLimit | None = None,
        effect: Callable[[list[QuestionAnswer]], list[Event]] = lambda _: [],
    ) -> list[QuestionAnswer]:
        """Ask and wait, without limit; the answer is committed then, with its `effect`."""
        left = self._open_question(call_id)
        question = left or Question(
            new_question_id(),
            self._plan.session_id,
            self._plan.run_id,
            call_id,
            items,
            now_rfc3339(),
            spend,
        )
        self._gate.open_question(question)
        try:
            if left is None:
                self._staging.add(QuestionAsked(question))
            await self._staging.commit()
            end = await self._gate.answers(question)
            resolved = QuestionResolved(question.id, end.answers, end.by)
            self._staging.add(resolved, *effect(end.answers))
            await self._staging.commit()
        except BaseException:
            self._gate.withdraw(question)
            raise
        self._gate.committed(question)
        return end.answers

    def _open_question(self, call_id: CallId) -> Question | None:
        questions = self._recorder.state.questions
        return next((each for each in questions if each.call_id == call_id), None)

    def _request(
        self, part: ToolCallPart, tool: AnyTool, preview: Preview, ruling: Ruling
    ) -> PermissionRequest:
        shown = _shown(preview)
        return PermissionRequest(
            id=new_request_id(),
            session_id=self._plan.session_id,
            run_id=self._plan.run_id,
            call_id=part.call_id,
            tool=tool.name,
            title=_TITLES.get(tool.permission, f"Allow {tool.name}?"),
            reason=ruling.reason,
            input=part.arguments,
            shown=shown,
            shown_sha256=hashlib.sha256(shown.encode()).hexdigest(),
            suggested_rules=list(ruling.suggested_rules),
            created_at=now_rfc3339(),
            program=ruling.program,
            allow_once=ruling.allow_once,
        )


def _shown(preview: Preview) -> str:
    return whole_text(preview.shown or preview.title)
