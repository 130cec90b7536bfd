"""A session's state: what the fold gives and a snapshot carries."""

from dataclasses import dataclass, field
from typing import Literal

from lararium_daemon.protocol.events import Outcome, Usage
from lararium_daemon.protocol.ids import CallId, MessageId, RunId, SessionId
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.permissions import Mode, PermissionRequest, Question
from lararium_daemon.protocol.todo import TodoStep

Activity = Literal["idle", "running", "queued", "needs_you"]


@dataclass(slots=True)
class RunState:
    """The run that goes on, or the last one that ended."""

    run_id: RunId
    message_id: MessageId
    model: str
    mode: Mode
    started_at: str
    turn: int = 0
    ended_at: str | None = None
    outcome: Outcome | None = None
    """None while it goes on."""
    refused: int = 0
    code: str = ""
    detail: str = ""
    cost_usd: float = 0.0
    """What its model calls cost, as far as their prices are known; subagents included."""
    spend_cap_usd: float | None = None
    """The cap that the person raised for it; None = as the settings say."""


@dataclass(slots=True)
class NoticeState:
    """A notice and where it stands."""

    seq: int
    at: str
    level: Literal["info", "warning", "error"]
    code: str
    text: str
    after_message_id: MessageId | None = None


@dataclass(slots=True)
class Compaction:
    """What the model is told in place of a session's older messages."""

    at: str
    until_message_id: MessageId
    """The last message that the summary stands for, in the order of runs."""
    summary: str


@dataclass(slots=True)
class SessionState:
    """Everything a client needs to show a session."""

    session_id: SessionId
    title: str = ""
    mode: Mode = "default"
    model: str | None = None
    archived: bool = False
    pinned: bool = False
    created_at: str = ""
    updated_at: str = ""
    seq: int = 0
    """Of the last durable event folded in."""
    messages: list[Message] = field(default_factory=list[Message])
    run: RunState | None = None
    runs: list[RunState] = field(default_factory=list[RunState])
    """Every run that ended, oldest first."""
    requests: list[PermissionRequest] = field(default_factory=list[PermissionRequest])
    questions: list[Question] = field(default_factory=list[Question])
    notices: list[NoticeState] = field(default_factory=list[NoticeState])
    progress: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """The output tail of each running call."""
    usage: Usage | None = None
    """Of the last model call that reported one."""
    context_window: int | None = None
    cost_usd: float = 0.0
    """What all its model calls cost, as far as their prices are known; subagents included."""
    spend_cap_usd: float | None = None
    """The cap that the person raised for it; None = as the settings say."""
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    """Oldest first; the last one holds, undoing takes it away."""
    is_compacting: bool = False
    parent_id: SessionId | None = None
    """The session whose run called for this one, which is a subagent's then."""
    todo: list[TodoStep] = field(default_factory=list[TodoStep])
    """The agent's list of steps as it stands; empty when it keeps none."""


@dataclass(slots=True)
class SessionSummary:
    """A row of the session list."""

    id: SessionId
    title: str
    mode: Mode
    model: str | None
    archived: bool
    pinned: bool
    created_at: str
    updated_at: str
    activity: Activity
    fact: str
    """One line for the second row: what runs or what is asked; "" when idle."""
    last_outcome: Outcome | None
    message_count: int
    parent_id: SessionId | None = None
    """As `SessionState.parent_id`."""
