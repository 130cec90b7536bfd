"""Requests and answers of the daemon's HTTP API (the hub's are in `hub.py`).

Inputs forbid unknown fields; outputs may grow, and clients ignore what they do not know.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    QuestionId,
    RequestId,
    RunId,
    WorkspaceId,
)
from lararium_daemon.protocol.messages import CallState, ImageType, Message
from lararium_daemon.protocol.permissions import (
    Decision,
    GrantScope,
    Mode,
    PermissionRequest,
    Question,
    QuestionAnswer,
    Verdict,
)
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.protocol.text import MAX_INPUT_DEPTH, is_deeper_than, whole_json
from lararium_daemon.protocol.version import API_MAJOR, API_MINOR

Scope = Literal["read", "prompt", "approve", "admin", "native"]


class Input(BaseModel):
    """Base of everything a client sends."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _make_text_whole(cls, data: Any) -> Any:
        # JSON may escape half a surrogate pair, which pydantic takes and UTF-8 cannot hold.
        if is_deeper_than(MAX_INPUT_DEPTH, data):
            raise ValueError("this is nested too deeply")
        return whole_json(data)


class Output(BaseModel):
    """Base of everything a server answers."""

    model_config = ConfigDict(frozen=True)


class ApiVersion(Output):
    """Same major works both ways."""

    major: int = API_MAJOR
    minor: int = API_MINOR


class Health(Output):
    """All that a caller without a credential learns."""

    guid: str
    api_version: ApiVersion = ApiVersion()


class ProveInput(Input):
    """Ask the server to prove that it holds the token."""

    nonce: str = Field(min_length=16, max_length=128)


class Proof(Output):
    """Hex HMAC-SHA256(token, "<kind>|guid|port|nonce"); kind is `daemon` or `hub`."""

    proof: str


class TicketInput(Input):
    """Ask for a single-use ticket: `ui` for a page, `ws` for one WebSocket."""

    purpose: Literal["ui", "ws"]


class Ticket(Output):
    """A single-use ticket."""

    ticket: str
    expires_in: int
    """Seconds."""


class ExchangeInput(Input):
    """Trade a `ui` ticket for a session key."""

    ticket: str = Field(max_length=256)


class SessionKey(Output):
    """A bearer for one page; dies with the server."""

    session_key: str
    scopes: list[Scope]


class HubOriginInput(Input):
    """The origin that may frame this daemon's page, e.g. `http://127.0.0.1:4567`; "" for none."""

    origin: str = Field(max_length=64)


class Accepted(Output):
    """It was taken."""

    ok: Literal[True] = True


class DrainInput(Input):
    """End once nothing runs."""

    when: Literal["idle"]


class Draining(Output):
    """The daemon takes no message any more and stops when nothing runs."""

    running: int
    """Sessions that still run."""


class ModelStatus(Output):
    """Which model would answer now, and if not, why and what to do."""

    usable: bool
    name: str = ""
    base_url: str = ""
    source: str = ""
    """Where it was found: settings, environment, discovered, tour; "" when there is none."""
    profile: str = ""
    """Name of the profile it belongs to."""
    scripted: bool = False
    """The built-in tour: scripted and offline, no model at all."""
    problem: str = ""
    """A sentence for the person when not usable."""


class DaemonStatus(Output):
    """State of the daemon."""

    guid: str
    version: str
    api_version: ApiVersion
    workspace_id: WorkspaceId
    workspace_path: str
    workspace_name: str
    pid: int
    uptime_seconds: float
    security: Literal["token", "trust-same-user"]
    sandbox: Literal["full", "fs-only", "none"]
    model: ModelStatus
    sessions: int
    running: int
    waiting: int
    memory_bytes: int
    notices: list[str]
    """What was found broken at start and set aside, for the person."""


class SessionCreateInput(Input):
    """Begin a session; it is listed at once."""

    title: str = Field(default="", max_length=200)
    mode: Mode = "default"
    model: str | None = Field(default=None, max_length=200)


class SessionPatchInput(Input):
    """Change what is given."""

    title: str | None = Field(default=None, max_length=200)
    mode: Mode | None = None
    model: str | None = Field(default=None, max_length=200)
    archived: bool | None = None
    pinned: bool | None = None


class SessionList(Output):
    """Newest first."""

    items: list[SessionSummary]
    next_cursor: str | None = None


class MessageList(Output):
    """Pages go from newest to oldest; `items` inside a page from oldest to newest."""

    items: list[Message]
    next_cursor: str | None = None


class MessageInput(Input):
    """The person's message. The id is the client's own: a resend is the same message."""

    client_message_id: str = Field(min_length=1, max_length=128)
    text: str = Field(min_length=1, max_length=1_000_000)
    attachments: list[str] = Field(default_factory=list, max_length=20)
    """Ids of pictures that were put into this session before."""
    headless: bool = False
    """No person will answer: asks of the run are denied (and counted as refused)."""
    allow: list[str] = Field(default_factory=list, max_length=64)
    """Rules allowed for this run only."""
    max_turns: int | None = Field(default=None, ge=1, le=10_000)


class MessageAccepted(Output):
    """The message is committed."""

    message_id: MessageId
    run_id: RunId | None
    """None while it waits in the queue."""
    seq: int
    queued: bool


class AttachmentStored(Output):
    """The picture is kept; a message may name it."""

    attachment_id: str
    media_type: ImageType
    """What its first bytes say."""
    name: str
    """The last part of the name it was sent with; a label."""
    bytes: int
    width: int | None
    """Pixels; None when its head does not say."""
    height: int | None


class QueueList(Output):
    """The person's messages that no run has taken yet, oldest first."""

    items: list[Message]
    next_cursor: str | None = None


class QueuedEditInput(Input):
    """The whole new text of a message that waits in the queue."""

    text: str = Field(min_length=1, max_length=1_000_000)


class RequestList(Output):
    """Open permission requests, oldest first."""

    items: list[PermissionRequest]
    next_cursor: str | None = None


class DecisionInput(Input):
    """The person's decision on what was shown."""

    decision: Decision
    scope: GrantScope = "once"
    shown_sha256: str = Field(max_length=64)
    reason: str | None = Field(default=None, max_length=4_000)


class DecisionTaken(Output):
    """The decision is committed."""

    request_id: RequestId
    decision: Decision
    scope: GrantScope


class QuestionList(Output):
    """Open questions, oldest first."""

    items: list[Question]
    next_cursor: str | None = None


class AnswerInput(Input):
    """One answer for each item of the question, in order."""

    answers: list[QuestionAnswer] = Field(max_length=4)


class AnswerTaken(Output):
    """The answer is committed."""

    question_id: QuestionId


class RulesInput(Input):
    """The person's rules for this workspace, whole: what is left out is removed."""

    allow: list[str] = Field(default_factory=list, max_length=1_000)
    ask: list[str] = Field(default_factory=list, max_length=1_000)
    deny: list[str] = Field(default_factory=list, max_length=1_000)


class RuleLists(Output):
    """The person's rules for this workspace, as written."""

    allow: list[str]
    ask: list[str]
    deny: list[str]
    problems: list[str]
    """Rules that match nothing because they cannot be read, each with its reason."""


class ExplainInput(Input):
    """Ask what would happen to a shell command in mode `default`."""

    command: str = Field(max_length=100_000)
    folder: str = Field(default="", max_length=4_096)
    """Where it would run, absolute; "" is the workspace."""


class ExplainedPart(Output):
    """One command of several, judged as if it stood alone."""

    command: str
    verdict: Verdict
    rule: str | None
    reason: str


class VerdictExplained(Output):
    """Why a command would be allowed, asked or denied."""

    verdict: Verdict
    rule: str | None
    scope: str | None
    """Where the rule stands; None when no rule decided."""
    commands: list[list[str]]
    """Each command that was made out, as its words."""
    reason: str
    parts: list[ExplainedPart]
    """Only for several plain commands: which of them ask and which need nothing."""


class ModelInfo(Output):
    """A model that the current endpoint offers."""

    name: str
    context_window: int | None = None
    calls_tools: bool | None = None
    """None = not known, as with each ability."""
    reasoning: bool | None = None
    images: bool | None = None


class ModelList(Output):
    """Models of the current endpoint; `problem` says why the list is short."""

    items: list[ModelInfo]
    next_cursor: str | None = None
    default: str | None = None
    problem: str = ""
    profile: str = ""
    """Name of the profile they belong to; a session names one as `profile/model`."""


class ToolInfo(Output):
    """A registered tool."""

    name: str
    description: str
    permission: str
    parameters: dict[str, Any]


class ToolList(Output):
    """Every tool, and those that failed to import with their reason."""

    items: list[ToolInfo]
    next_cursor: str | None = None
    failed: dict[str, str]


class CallOutput(Output):
    """A page of a call's full output, as text (control codes other than SGR dropped)."""

    call_id: CallId
    state: CallState
    offset: int
    """Bytes into the spool file."""
    next_offset: int | None
    """None at the end."""
    total_bytes: int
    text: str
