"""Messages of the WebSocket `/api/events`, subprotocol `lar.v1`.

Server → client messages are written by hand with orjson on the hot path; these models are their
schema for clients, and what the server reads.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.state import SessionState, SessionSummary

SUBPROTOCOL = "lar.v1"
TICKET_PREFIX = "ticket."


class _Message(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class SubscribeSession(_Message):
    """Follow one session; `epoch` other than the daemon's answers with a snapshot."""

    type: Literal["subscribe"] = "subscribe"
    session_id: SessionId
    after_seq: int = 0
    epoch: str = ""
    visible: bool | None = None
    """Whether a person can see this client from now on; None = as before, at first yes."""


class SubscribeTopic(_Message):
    """Follow a topic: `sessions` (the list) or `attention` (everything after `after_seq`)."""

    type: Literal["subscribe"] = "subscribe"
    topic: Literal["sessions", "attention"]
    after_seq: int = 0
    visible: bool | None = None
    """As for a session. A daemon with nothing to do does not stay for hidden clients."""


class Unsubscribe(_Message):
    """Stop following."""

    type: Literal["unsubscribe"] = "unsubscribe"
    session_id: SessionId | None = None
    topic: Literal["sessions", "attention"] | None = None


class Ping(_Message):
    """Answered by `pong`."""

    type: Literal["ping"] = "ping"


ClientMessage = SubscribeSession | SubscribeTopic | Unsubscribe | Ping
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)


class SessionCounts(_Message):
    """What a client's fold must agree with."""

    seq: int
    messages: int
    parts: int
    chars: int
    """UTF-16 units of all text and thinking parts."""


class Heartbeat(_Message):
    """Every 15 s."""

    type: Literal["heartbeat"] = "heartbeat"
    sessions: dict[SessionId, SessionCounts]


class Snapshot(_Message):
    """The whole state up to `seq`, open parts with their text."""

    type: Literal["snapshot"] = "snapshot"
    session_id: SessionId
    seq: int
    epoch: str
    state: SessionState


class SessionListed(_Message):
    """Topic `sessions`: a row is new or changed."""

    type: Literal["session"] = "session"
    session: SessionSummary


class SessionRemoved(_Message):
    """Topic `sessions`: a row is gone."""

    type: Literal["session_removed"] = "session_removed"
    session_id: SessionId


class AttentionChanged(_Message):
    """Topic `attention`: items that are new or changed, oldest change first.

    The first one comes at once, empty when nothing was missed.
    """

    type: Literal["attention"] = "attention"
    items: list[AttentionItem]
    next_seq: int
    """What to name as `after_seq` when coming back."""


class ActivityChanged(_Message):
    """Topic `attention`: every session that is not idle; sent at once and after each change."""

    type: Literal["activity"] = "activity"
    sessions: list[SessionSummary]


class Resync(_Message):
    """The client was too slow: subscribe again."""

    type: Literal["resync"] = "resync"
    session_id: SessionId


class StreamError(_Message):
    """What the client sent could not be done."""

    type: Literal["error"] = "error"
    code: str
    detail: str
    session_id: SessionId | None = None
    """The session that could not be followed; None when it was something else."""


class Pong(_Message):
    """Answers `ping`."""

    type: Literal["pong"] = "pong"


ServerMessage = Annotated[
    Heartbeat
    | Snapshot
    | SessionListed
    | SessionRemoved
    | AttentionChanged
    | ActivityChanged
    | Resync
    | StreamError
    | Pong,
    Discriminator("type"),
]
"""Beside `{type: "event", event}` and `{type: "replay", session_id, events}` of envelopes."""


class ServerMessageSchema(BaseModel):
    """Carries the union into OpenAPI."""

    message: ServerMessage = Field()
