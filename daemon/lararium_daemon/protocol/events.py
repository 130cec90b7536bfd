"""The closed union of session events.

*Durable* events take consecutive `seq` numbers per session and are committed before they are sent.
*Volatile* ones (`VOLATILE`) take none: they carry the last durable `seq`, and what they said is in
a later durable event too. `sessions/fold.py` and the page's reducer fold both kinds to the same
state. A new event is a dataclass here with its `type`, added to `Event`.
"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, get_args

from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    PartId,
    QuestionId,
    RequestId,
    RunId,
    SessionId,
)
from lararium_daemon.protocol.messages import CallState, Message, Part, ToolResult
from lararium_daemon.protocol.permissions import (
    Decision,
    GrantScope,
    Mode,
    PermissionRequest,
    Question,
    QuestionAnswer,
    ResolvedBy,
    SpendScope,
)
from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.todo import TodoStep

Outcome = Literal["completed", "interrupted", "budget", "refused_by_model", "error"]


@dataclass(slots=True, frozen=True)
class CallPhases:
    """How long the parts of one model call took, in seconds; None = it had no such part."""

    answered: float
    """From sending to the first sign of an answer: network, queue and reading of the prompt."""
    first_word: float | None
    """From sending to the first text, reasoning or call."""
    whole: float
    """From sending to the end; retries and the waits between them not counted."""
    retries: int = 0


@dataclass(slots=True, frozen=True)
class Usage:
    """Tokens of one model call, as the provider reported them; None = not reported."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    model: str = ""
    """What answered, as `profile/model`; "" when nobody said."""
    phases: CallPhases | None = None


@dataclass(slots=True, frozen=True)
class SessionUpdated:
    """What a session is called and how it is set; also its first event. Fields are whole."""

    type: ClassVar[str] = "session.updated"
    title: str
    mode: Mode
    model: str | None
    """A model name of the current profile; None = the default."""
    archived: bool = False
    pinned: bool = False


@dataclass(slots=True, frozen=True)
class SessionSpawned:
    """The session is a subagent's; its first run is part of the run that called for it."""

    type: ClassVar[str] = "session.spawned"
    parent_id: SessionId
    call_id: CallId
    """The call of `parent_id` that it works for."""


@dataclass(slots=True, frozen=True)
class MessageAppended:
    """A message begins: the person's whole, the assistant's without parts yet."""

    type: ClassVar[str] = "message.appended"
    message: Message


@dataclass(slots=True, frozen=True)
class MessageRemoved:
    """A message that waited in the queue was taken out; a fold drops it."""

    type: ClassVar[str] = "message.removed"
    message_id: MessageId


@dataclass(slots=True, frozen=True)
class RunStarted:
    """A run begins with the person's message.

    A message that waited in the queue (its `run_id` was None) moves to the end of the messages.
    """

    type: ClassVar[str] = "run.started"
    run_id: RunId
    message_id: MessageId
    model: str
    mode: Mode


@dataclass(slots=True, frozen=True)
class RunEnded:
    """The one last event of a run, whatever happened."""

    type: ClassVar[str] = "run.ended"
    run_id: RunId
    outcome: Outcome
    refused: int
    """Asks denied for want of a person."""
    code: str = ""
    """Stable code of an error, e.g. `provider_auth`; empty otherwise."""
    detail: str = ""
    """What happened, what is safe, what to do next; for the person."""
    text: str = ""
    """The final text (or `task_complete`'s summary)."""


@dataclass(slots=True, frozen=True)
class TurnStarted:
    """The intent to call the model, committed before the call; its answer is `message_id`."""

    type: ClassVar[str] = "turn.started"
    run_id: RunId
    turn: int
    """1 for the first model call of the run; subagents' calls count as well."""
    message_id: MessageId


@dataclass(slots=True, frozen=True)
class TurnEnded:
    """The model's answer is complete, or `cut`."""

    type: ClassVar[str] = "turn.ended"
    run_id: RunId
    turn: int
    message_id: MessageId
    finish_reason: str
    """The provider's word, "" when it gave none; decides nothing alone."""
    cut: bool = False
    reasoning: Reasoning | None = None
    """What goes back to the model with this answer; None = nothing."""


@dataclass(slots=True, frozen=True)
class PartAppended:
    """A whole part, or the next piece of a text or thinking part.

    For text and thinking `part.text` is the piece that starts at `offset` (UTF-16 units of the
    part's text so far); a fold cuts its text at `offset` and appends. A tool call comes whole.
    """

    type: ClassVar[str] = "part.appended"
    message_id: MessageId
    part: Part
    offset: int = 0


@dataclass(slots=True, frozen=True)
class PartDelta:
    """Volatile: the next piece of a text or thinking part, which it opens when `offset` is 0."""

    type: ClassVar[str] = "part.delta"
    message_id: MessageId
    part_id: PartId
    kind: Literal["text", "thinking"]
    offset: int
    text: str


@dataclass(slots=True, frozen=True)
class ToolStarted:
    """The intent to run a call, committed before the act."""

    type: ClassVar[str] = "tool.started"
    run_id: RunId
    call_id: CallId
    before_sha256: str = ""
    """Write tools: hash of the file before the act ("" = not a write, "absent" = no file)."""
    after_sha256: str = ""
    """Write tools: hash the file will have; settles a cut edit after a crash."""
    path: str = ""
    """Write tools: the real path, absolute."""


@dataclass(slots=True, frozen=True)
class ToolProgress:
    """Volatile: the last lines of a running call's output; replaces the one before."""

    type: ClassVar[str] = "tool.progress"
    call_id: CallId
    part_id: PartId
    offset: int
    """Where `tail` starts in the output so far."""
    tail: str
    """At most 4 KiB and 40 lines, control codes other than SGR dropped."""
    total_bytes: int


@dataclass(slots=True, frozen=True)
class ToolEnded:
    """A call ended; a call that never started may end too (denied, interrupted)."""

    type: ClassVar[str] = "tool.ended"
    run_id: RunId
    call_id: CallId
    state: CallState
    result: ToolResult


@dataclass(slots=True, frozen=True)
class PermissionRequested:
    """An ask is open."""

    type: ClassVar[str] = "permission.requested"
    request: PermissionRequest


@dataclass(slots=True, frozen=True)
class PermissionResolved:
    """An ask is closed; committed before the call starts."""

    type: ClassVar[str] = "permission.resolved"
    request_id: RequestId
    decision: Decision
    scope: GrantScope
    by: ResolvedBy
    reason: str = ""
    """The person's note on a denial, or why it was withdrawn."""


@dataclass(slots=True, frozen=True)
class QuestionAsked:
    """A question is open."""

    type: ClassVar[str] = "question.asked"
    question: Question


@dataclass(slots=True, frozen=True)
class QuestionResolved:
    """A question is closed; `answers` is empty when it was withdrawn."""

    type: ClassVar[str] = "question.resolved"
    question_id: QuestionId
    answers: list[QuestionAnswer] = field(default_factory=list[QuestionAnswer])
    by: ResolvedBy = "person"


CallPurpose = Literal["turn", "compaction", "subagent"]


@dataclass(slots=True, frozen=True)
class UsageUpdated:
    """Tokens of one model call."""

    type: ClassVar[str] = "usage.updated"
    run_id: RunId
    usage: Usage
    context_window: int | None
    """Tokens the model can hold; None = unknown."""
    cost_usd: float | None = None
    """What the call cost; None = a price or a count is unknown."""
    purpose: CallPurpose = "turn"
    """Only a turn fills the session's window. `subagent`: a call that the session of a subagent
    made and has too, so a sum over sessions leaves it out."""


@dataclass(slots=True, frozen=True)
class SpendRaised:
    """The person let a run spend more than its cap."""

    type: ClassVar[str] = "spend.raised"
    run_id: RunId
    scope: SpendScope
    cap_usd: float
    """The cap from now on, for this run, this session or this day."""


CompactionReason = Literal["window", "overflow", "manual"]


@dataclass(slots=True, frozen=True)
class CompactionStarted:
    """The session grows too long for the model: its older part is being summarised."""

    type: ClassVar[str] = "compaction.started"
    run_id: RunId
    reason: CompactionReason
    """`window`: the window is nearly full; `overflow`: the model refused the last call for it;
    `manual`: the person asked for it, between runs (`run_id` is the last one then)."""


@dataclass(slots=True, frozen=True)
class CompactionEnded:
    """From now on the model is told `summary` in place of all up to `until_message_id`.

    The messages themselves stay. Both are empty when the summary could not be made.
    """

    type: ClassVar[str] = "compaction.ended"
    run_id: RunId
    until_message_id: MessageId | None
    summary: str = ""


@dataclass(slots=True, frozen=True)
class CompactionUndone:
    """The last compaction no longer holds: the model is told the messages again."""

    type: ClassVar[str] = "compaction.undone"


@dataclass(slots=True, frozen=True)
class TodoUpdated:
    """The agent's list of steps from now on; the one before is replaced."""

    type: ClassVar[str] = "todo.updated"
    run_id: RunId
    call_id: CallId
    steps: list[TodoStep]
    """In order; empty = there is no list any more."""


@dataclass(slots=True, frozen=True)
class Notice:
    """Something the person should know: a retry, a repair, an empty answer."""

    type: ClassVar[str] = "notice"
    level: Literal["info", "warning", "error"]
    code: str
    text: str
    run_id: RunId | None = None


Event = (
    SessionUpdated
    | SessionSpawned
    | MessageAppended
    | MessageRemoved
    | RunStarted
    | RunEnded
    | TurnStarted
    | TurnEnded
    | PartAppended
    | PartDelta
    | ToolStarted
    | ToolProgress
    | ToolEnded
    | PermissionRequested
    | PermissionResolved
    | QuestionAsked
    | QuestionResolved
    | UsageUpdated
    | SpendRaised
    | CompactionStarted
    | CompactionEnded
    | CompactionUndone
    | TodoUpdated
    | Notice
)
VolatileEvent = PartDelta | ToolProgress
VOLATILE = get_args(VolatileEvent)
EVENTS: dict[str, type[Event]] = {event.type: event for event in get_args(Event)}
"""The payload class of each `type`."""


@dataclass(slots=True, frozen=True)
class Envelope:
    """An event with its place; `seq` of a volatile one is the last durable seq."""

    session_id: SessionId
    seq: int
    epoch: str
    """The daemon's guid."""
    at: str
    payload: Event

    @property
    def volatile(self) -> bool:
        """Whether it takes no `seq` of its own."""
        return isinstance(self.payload, VOLATILE)
