"""The hub's inbox: the attention of every workspace in one list, and the person's answers to it."""

from typing import Literal

from pydantic import Field

from lararium_daemon.protocol.api import Input, Output
from lararium_daemon.protocol.attention import AttentionKind
from lararium_daemon.protocol.confined import Button
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.permissions import PermissionRequest, Question, QuestionAnswer

InboxKind = AttentionKind | Literal["crashed"]
"""`crashed`: the daemon itself stopped; no daemon owns that."""
InboxAction = Literal["allow_once", "allow_session", "allow_always", "deny", "answer", "dismiss"]


class InboxItem(Output):
    """One thing for the person; the fields are those of the daemon's attention."""

    id: str
    """Unique over all workspaces; opaque."""
    workspace_id: WorkspaceId
    workspace_name: str
    kind: InboxKind
    waiting: bool
    """A run stands still until the person answers."""
    session_id: SessionId | None
    """None for a crash."""
    title: str
    """The session's; "" for a crash."""
    detail: str
    at: str
    run_seconds: float | None = None
    tool: str = ""
    program: str = ""
    code: str = ""
    buttons: list[Button] = Field(default_factory=list[Button])
    """What to offer where the request itself is not shown; empty unless kind is `needs_you`."""


class InboxList(Output):
    """What waits, oldest first, then what ended, newest first."""

    items: list[InboxItem]
    next_cursor: str | None = None


class InboxDetail(Output):
    """An item with everything the person must see to answer it."""

    item: InboxItem
    request: PermissionRequest | None = None
    question: Question | None = None


class InboxAnswerInput(Input):
    """The person's answer. Only the first one of all places counts."""

    action: InboxAction
    """`dismiss` takes an item that ended off the list and answers nothing."""
    shown_sha256: str | None = Field(default=None, max_length=64)
    """Hash of what was shown to the person. Only *Deny*, and *Allow once* where `buttons` offers
    it, go without."""
    reason: str | None = Field(default=None, max_length=4_000)
    answers: list[QuestionAnswer] = Field(default_factory=list[QuestionAnswer], max_length=4)


class InboxAnswered(Output):
    """What became of the answer."""

    id: str
    outcome: Literal["taken", "elsewhere", "dismissed"]
    """`elsewhere`: it was answered or withdrawn before."""


class ShownInput(Input):
    """What a hub page shows now. Say it after each change, and each 10 s while it is visible."""

    workspace_id: WorkspaceId | None = None
    session_id: SessionId | None = None
    visible: bool
    """The page has the keyboard: it is neither hidden nor behind another window."""
    page: str = Field(default="", max_length=64)
    """A name that the page gives itself, so that no page speaks for another one."""


class ShellToast(Output):
    """What the page says itself because the system shows no notifications."""

    count: int
    """Grows with each one."""
    title: str
    body: str
    workspace_id: WorkspaceId
    session_id: SessionId | None
