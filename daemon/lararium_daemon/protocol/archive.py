"""Requests and answers about sessions that go out, come in, are searched and made anew."""

from pydantic import Field

from lararium_daemon.protocol.api import Input, Output
from lararium_daemon.protocol.ids import MessageId, SessionId
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.state import NoticeState, RunState, SessionSummary


class SessionExport(Output):
    """Everything of a session but its messages."""

    session: SessionSummary
    runs: list[RunState]
    notices: list[NoticeState]


class MessagesImportInput(Input):
    """Messages from elsewhere, oldest first; their ids are made anew."""

    messages: list[Message] = Field(min_length=1, max_length=1_000)


class SessionImportInput(MessagesImportInput):
    """A session from elsewhere."""

    title: str = Field(default="", max_length=200)
    note: str = Field(default="", max_length=4_000)
    """What could not be read, for the person."""


class Imported(Output):
    """They are committed."""

    session_id: SessionId
    messages: int


class SearchHit(Output):
    """A message in which all the words are; U+2068 and U+2069 stand around what was found."""

    session_id: SessionId
    message_id: MessageId
    at: str
    snippet: str


class SearchList(Output):
    """The best first."""

    items: list[SearchHit]
    next_cursor: str | None = None


class Rebuilt(Output):
    """List, snapshots and search are made anew."""

    sessions: int
