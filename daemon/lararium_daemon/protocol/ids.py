"""Identifiers: opaque strings for everybody but their maker, told apart by type."""

import os
from typing import NewType

WorkspaceId = NewType("WorkspaceId", str)
"""First 16 hex digits of SHA-256 of the folder's real path."""
SessionId = NewType("SessionId", str)
RunId = NewType("RunId", str)
MessageId = NewType("MessageId", str)
PartId = NewType("PartId", str)
CallId = NewType("CallId", str)
"""Ours, unique in a session; the provider's own id never leaves the wire (it may repeat)."""
RequestId = NewType("RequestId", str)
QuestionId = NewType("QuestionId", str)


def _fresh(prefix: str) -> str:
    return f"{prefix}_{os.urandom(10).hex()}"


def new_session_id() -> SessionId:
    """Make a session's id."""
    return SessionId(_fresh("ses"))


def new_run_id() -> RunId:
    """Make a run's id."""
    return RunId(_fresh("run"))


def new_message_id() -> MessageId:
    """Make a message's id."""
    return MessageId(_fresh("msg"))


def new_part_id() -> PartId:
    """Make a part's id."""
    return PartId(_fresh("prt"))


def new_call_id() -> CallId:
    """Make a tool call's id."""
    return CallId(_fresh("call"))


def new_request_id() -> RequestId:
    """Make a permission request's id."""
    return RequestId(_fresh("ask"))


def new_question_id() -> QuestionId:
    """Make a question's id."""
    return QuestionId(_fresh("qst"))


def new_grant_id() -> str:
    """Make a grant's id."""
    return _fresh("grt")
