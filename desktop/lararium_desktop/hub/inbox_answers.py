"""Answers on their way to the daemon: what one must hold, and who was first.

A daemon takes the first answer to a request and refuses every other, so however many places answer
at once, exactly one counts; the others are told that it was answered elsewhere.
"""

import logging
from collections.abc import Callable
from typing import Any, cast

from anyio import to_thread
from pydantic import TypeAdapter

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.inbox import InboxAction, InboxAnswerInput, InboxItem
from lararium_daemon.protocol.permissions import (
    Decision,
    GrantScope,
    PermissionRequest,
    Question,
)

logger = logging.getLogger(__name__)

DAEMON_SECONDS = 10.0
_LATE = frozenset({"already_resolved", "unknown_request", "unknown_question"})
_DECISIONS: dict[InboxAction, tuple[Decision, GrantScope]] = {
    "allow_once": ("allow", "once"),
    "allow_session": ("allow", "session"),
    "allow_always": ("allow", "always"),
    "deny": ("deny", "once"),
}
_REQUEST: TypeAdapter[PermissionRequest] = TypeAdapter(PermissionRequest)
_QUESTION: TypeAdapter[Question] = TypeAdapter(Question)

Ask = Callable[[str, str, dict[str, Any] | None], dict[str, Any]]
"""Asks a daemon with method, path and body; blocks, and raises LarariumError."""


Connect = Callable[[WorkspaceId], Ask | None]
"""Gives the way to a workspace's daemon, None when none runs; blocks."""


def check_answer(item: InboxItem, given: InboxAnswerInput) -> None:
    """Refuse an answer that does not fit, or that allows what the person has not seen.

    Raises:
        LarariumError: 409 `wrong_answer`, 409 `review_first`.
    """
    fits = given.action in _DECISIONS if item.kind == "needs_you" else given.action == "answer"
    if not item.waiting or not fits:
        raise LarariumError("wrong_answer", "This cannot be answered that way.", 409)
    may_go_unseen = given.action in {"deny", "answer"} or given.action in item.buttons
    if given.shown_sha256 is None and not may_go_unseen:
        detail = "Look at what is asked before you allow it."
        raise LarariumError("review_first", detail, 409)


class Answerer:
    """Carries answers to the daemons."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect

    async def answer(
        self, workspace: WorkspaceId, item: AttentionItem, given: InboxAnswerInput
    ) -> bool:
        """Give the daemon the answer; False when another one was first.

        Raises:
            LarariumError: `shown_mismatch` and its kin, or the daemon cannot be reached.
        """
        if given.action == "answer":
            path = f"/api/questions/{item.request_id}/answer"
            body: dict[str, Any] = {
                "answers": [{"selected": a.selected, "text": a.text} for a in given.answers]
            }
        else:
            decision, scope = _DECISIONS[given.action]
            path = f"/api/permissions/requests/{item.request_id}/decision"
            body = {
                "decision": decision,
                "scope": scope,
                "shown_sha256": given.shown_sha256 or item.shown_sha256,
                "reason": given.reason,
            }
        try:
            await self._ask(workspace, "POST", path, body)
        except LarariumError as error:
            if error.code not in _LATE:
                raise
            logger.info("An answer came too late: %s", error.code)
            return False
        return True

    async def look(
        self, workspace: WorkspaceId, item: AttentionItem
    ) -> tuple[PermissionRequest | None, Question | None]:
        """Give the request or the question behind an item; neither when it was answered by now.

        Raises:
            LarariumError: the daemon cannot be reached.
        """
        path = "/api/questions" if item.kind == "question" else "/api/permissions/requests"
        answer = await self._ask(workspace, "GET", path, None)
        items = cast("list[dict[str, Any]]", answer.get("items", []))
        raw = next((each for each in items if each.get("id") == item.request_id), None)
        if raw is None:
            return None, None
        try:
            if item.kind == "question":
                return None, _QUESTION.validate_python(raw)
            return _REQUEST.validate_python(raw), None
        except ValueError as error:
            detail = "The daemon describes what it asks in a way this version does not know."
            raise LarariumError("bad_answer", detail, 502) from error

    async def _ask(
        self, workspace: WorkspaceId, method: str, path: str, body: dict[str, Any] | None
    ) -> dict[str, Any]:
        def ask() -> dict[str, Any]:
            way = self._connect(workspace)
            if way is None:
                detail = "The project's daemon does not run, so nothing waits there any more."
                raise LarariumError("daemon_gone", detail, 409)
            return way(method, path, body)

        return await to_thread.run_sync(ask)
