"""Attention: what waits for the person and what ended, in one list over a workspace's sessions.

Items are folded from the journal and take a `seq` of the whole workspace in the transaction of the
event that made or changed them. An item that changes moves to a new `seq`, so whoever asks for
everything after the last one it has misses nothing and sees only what is newest.
"""

from dataclasses import dataclass
from typing import Literal

from lararium_daemon.protocol.api import Output
from lararium_daemon.protocol.ids import QuestionId, RequestId, SessionId

AttentionKind = Literal["needs_you", "question", "failed", "finished"]
WAITING: frozenset[AttentionKind] = frozenset({"needs_you", "question"})
"""The kinds for which a run stands still until the person answers."""


@dataclass(slots=True, frozen=True)
class AttentionItem:
    """One thing for the person."""

    id: str
    """Of the request, of the question, or of the run that ended."""
    seq: int
    """Its place; grows with each change. 0 = not stored yet."""
    kind: AttentionKind
    session_id: SessionId
    title: str
    """The session's."""
    detail: str
    """One line: what is asked, why it failed, or how the answer begins; never for a
    notification, since it may show code."""
    at: str
    """When it was asked, or when the run ended."""
    request_id: RequestId | QuestionId | None = None
    """Set while kind is `needs_you` or `question`: what an answer names."""
    resolved_at: str | None = None
    """When it was answered or withdrawn, or when the session went on."""
    run_seconds: float | None = None
    """How long the run took; None while it goes on."""
    tool: str = ""
    """The tool that asks."""
    program: str = ""
    """The names of the programs that a command starts, never arguments; "" when unsure."""
    shown_sha256: str = ""
    """Hash of what is asked; a decision names it."""
    allow_once: bool = False
    """Whether *Allow once* may be offered where what is asked is not shown (`confined.py`)."""
    code: str = ""
    """Why the run ended: the stable code of `run.ended`, else its outcome. `spend_cap` on a
    question: whether more may be spent."""


class AttentionPage(Output):
    """Items after a `seq`, oldest change first."""

    items: list[AttentionItem]
    next_seq: int
    """Ask for what comes after this one next."""
