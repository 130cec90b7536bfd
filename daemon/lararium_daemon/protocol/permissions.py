"""Permission requests, questions and their answers as everybody sees them."""

from dataclasses import dataclass, field
from typing import Any, Literal

from lararium_daemon.protocol.ids import CallId, QuestionId, RequestId, RunId, SessionId

Mode = Literal["default", "accept-edits", "plan", "yolo"]
Decision = Literal["allow", "deny"]
GrantScope = Literal["once", "session", "always"]
Verdict = Literal["allow", "ask", "deny"]
ResolvedBy = Literal["person", "rule", "headless", "interrupt", "restart"]


@dataclass(slots=True, frozen=True)
class PermissionRequest:
    """An ask that waits for the person."""

    id: RequestId
    session_id: SessionId
    run_id: RunId
    call_id: CallId
    tool: str
    title: str
    """The question, e.g. "Run this command?"."""
    reason: str
    """Why it is asked, one sentence."""
    input: dict[str, Any]
    """The call's arguments."""
    shown: str
    """Exactly what the person approves. Shell: cwd, newline, command. Edit: path, newline, diff."""
    shown_sha256: str
    """Hex SHA-256 of `shown` in UTF-8."""
    suggested_rules: list[str]
    """Safe rules "always" could store, smallest first; empty when none is safe."""
    created_at: str
    program: str = ""
    """The names of the programs that a command starts, never arguments; "" when unsure."""
    allow_once: bool = False
    """Whether *Allow once* may be offered where `shown` is not shown (`confined.py`)."""


@dataclass(slots=True, frozen=True)
class QuestionOption:
    """One option of a question."""

    label: str
    description: str = ""


@dataclass(slots=True, frozen=True)
class QuestionItem:
    """One of the 1 to 4 things that are asked at once, with 2 to 4 options."""

    text: str
    options: list[QuestionOption]
    multiple: bool = False


SpendScope = Literal["run", "session", "day"]
"""What a spend cap is for; `day` means all sessions of the workspace since local midnight."""


@dataclass(slots=True, frozen=True)
class SpendLimit:
    """A spend cap that is reached; amounts are US dollars."""

    scope: SpendScope
    cap_usd: float
    spent_usd: float
    next_cap_usd: float
    """What *Continue* raises the cap to, for this run, this session or today."""


@dataclass(slots=True, frozen=True)
class Question:
    """A question to the person: the agent's, or whether a run may spend more than its cap."""

    id: QuestionId
    session_id: SessionId
    run_id: RunId
    call_id: CallId
    """The call that asks; "" for a spend cap, which no call asks about."""
    items: list[QuestionItem]
    created_at: str
    spend: SpendLimit | None = None
    """Set when it asks about a spend cap; None for the agent's own question."""


@dataclass(slots=True, frozen=True)
class QuestionAnswer:
    """The answer to one item: chosen labels, or own words, or neither (the agent decides)."""

    selected: list[str] = field(default_factory=list[str])
    text: str = ""
