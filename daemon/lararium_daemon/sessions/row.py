"""A session's row in the list: a small fold of its own.

The row must lie in the same transaction as the events that change it, so it has to be known before
they are committed and folded into the state. It is small, so a copy can run ahead.
"""

from dataclasses import dataclass, field, replace

from lararium_daemon.protocol.events import (
    Event,
    MessageAppended,
    MessageRemoved,
    Outcome,
    PartAppended,
    PermissionRequested,
    PermissionResolved,
    QuestionAsked,
    QuestionResolved,
    RunEnded,
    RunStarted,
    SessionSpawned,
    SessionUpdated,
    ToolEnded,
    ToolStarted,
)
from lararium_daemon.protocol.ids import CallId, MessageId, QuestionId, RequestId, SessionId
from lararium_daemon.protocol.messages import ToolCallPart
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.protocol.state import Activity, SessionSummary
from lararium_daemon.sessions.attention import Attention

FACT_CHARS = 120


@dataclass(slots=True)
class Row:
    """What the list shows of a session, and the little that is needed to keep it."""

    session_id: SessionId
    title: str = ""
    mode: Mode = "default"
    model: str | None = None
    archived: bool = False
    pinned: bool = False
    created_at: str = ""
    updated_at: str = ""
    is_running: bool = False
    last_outcome: Outcome | None = None
    messages: int = 0
    queued: set[MessageId] = field(default_factory=set[MessageId])
    calls: dict[CallId, str] = field(default_factory=dict[CallId, str])
    """What each call that has not ended does, in a line."""
    running: dict[CallId, None] = field(default_factory=dict[CallId, None])
    asks: dict[RequestId | QuestionId, str] = field(
        default_factory=dict[RequestId | QuestionId, str]
    )
    """What the person is asked, oldest first."""
    parent_id: SessionId | None = None
    attention: Attention = field(init=False)

    def __post_init__(self) -> None:
        self.attention = Attention(self.session_id)

    def copy(self) -> "Row":
        """Give a copy that can run ahead."""
        copy = replace(
            self,
            queued=set(self.queued),
            calls=dict(self.calls),
            running=dict(self.running),
            asks=dict(self.asks),
        )
        copy.attention = self.attention.copy()
        return copy

    def apply(self, event: Event, at: str) -> None:
        """Fold a durable event in; most change nothing here."""
        self.attention.apply(event, at)
        match event:
            case SessionUpdated():
                self._update(event, at)
            case SessionSpawned():
                self.parent_id = event.parent_id
            case MessageAppended():
                self._append(event, at)
            case MessageRemoved():
                self._remove(event)
            case RunStarted():
                self.is_running = True
                self.queued.discard(event.message_id)
                self.updated_at = at
            case RunEnded():
                self._end_run(event, at)
            case _:
                self._apply_to_calls(event, at)

    def _apply_to_calls(self, event: Event, at: str) -> None:
        match event:
            case PartAppended(part=ToolCallPart() as call):
                self.calls[call.call_id] = _line(call.title or call.tool)
            case ToolStarted():
                self.running[event.call_id] = None
            case ToolEnded():
                self.running.pop(event.call_id, None)
                self.calls.pop(event.call_id, None)
            case PermissionRequested(request=request):
                self.asks[request.id] = self.calls.get(request.call_id) or _line(request.title)
                self.updated_at = at
            case PermissionResolved():
                self.asks.pop(event.request_id, None)
            case QuestionAsked(question=question):
                self.asks[question.id] = _line(question.items[0].text if question.items else "")
                self.updated_at = at
            case QuestionResolved():
                self.asks.pop(event.question_id, None)
            case _:
                pass

    def summary(self) -> SessionSummary:
        """Give the row as clients see it."""
        activity, fact = self._activity()
        return SessionSummary(
            id=self.session_id,
            title=self.title,
            mode=self.mode,
            model=self.model,
            archived=self.archived,
            pinned=self.pinned,
            created_at=self.created_at,
            updated_at=self.updated_at,
            activity=activity,
            fact=fact,
            last_outcome=self.last_outcome,
            message_count=self.messages,
            parent_id=self.parent_id,
        )

    def _activity(self) -> tuple[Activity, str]:
        if self.asks:
            return "needs_you", next(iter(self.asks.values()))
        if self.running:
            return "running", self.calls.get(next(reversed(self.running)), "")
        if self.is_running:
            return "running", "Thinking"
        if self.queued:
            return "queued", "Waits for its turn"
        return "idle", ""

    def _update(self, event: SessionUpdated, at: str) -> None:
        self.title = event.title
        self.mode = event.mode
        self.model = event.model
        self.archived = event.archived
        self.pinned = event.pinned
        self.created_at = self.created_at or at
        self.updated_at = self.updated_at or at

    def _append(self, event: MessageAppended, at: str) -> None:
        self.messages += 1
        if event.message.role == "user":
            self.updated_at = at
            if event.message.run_id is None:
                self.queued.add(event.message.message_id)

    def _remove(self, event: MessageRemoved) -> None:
        if event.message_id in self.queued:
            self.queued.discard(event.message_id)
            self.messages -= 1

    def _end_run(self, event: RunEnded, at: str) -> None:
        self.is_running = False
        self.last_outcome = event.outcome
        self.updated_at = at


def _line(text: str) -> str:
    first = text.strip().partition("\n")[0]
    return first if len(first) <= FACT_CHARS else first[: FACT_CHARS - 1] + "…"
