"""Messages and their parts, as they lie in a session's state and travel to clients.

Plain dataclasses: orjson writes them as they are, pydantic's TypeAdapter reads them back.
They are mutable because the fold (`sessions/fold.py`) is their one owner and grows them in place;
everybody else treats them as values.
"""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Discriminator

from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId
from lararium_daemon.protocol.reasoning import Reasoning

Role = Literal["user", "assistant"]
CallState = Literal["pending", "running", "completed", "error", "denied", "interrupted"]
Effect = Literal["read", "write", "exec", "none"]
"""What a tool may do to the world; `none` = talks to the person or ends the run."""
ImageType = Literal["image/png", "image/jpeg", "image/gif", "image/webp"]
"""The kinds of pictures that models take."""


@dataclass(slots=True)
class TextPart:
    """Text of the person or of the model, Markdown."""

    part_id: PartId
    text: str
    type: Literal["text"] = "text"


@dataclass(slots=True)
class ThinkingPart:
    """What a reasoning model showed of its thinking."""

    part_id: PartId
    text: str
    type: Literal["thinking"] = "thinking"


@dataclass(slots=True)
class ImagePart:
    """A picture that the person sent along; its bytes are an attachment of the session."""

    part_id: PartId
    attachment_id: str
    """SHA-256 of the bytes, hex; the address of the bytes ends in it."""
    media_type: ImageType
    name: str
    """What the person calls it; a label, never a path."""
    bytes: int
    width: int | None = None
    """Pixels; None when its head does not say."""
    height: int | None = None
    type: Literal["image"] = "image"


@dataclass(slots=True)
class FileDiff:
    """One file's change."""

    path: str
    """Relative to the workspace root with `/`, or absolute when outside."""
    unified: str
    """Unified diff, LF, without file headers; "" when only the bytes differ (binary)."""
    added: int
    removed: int


@dataclass(slots=True)
class ToolResult:
    """What a tool call gave back. A failure is data too: the model reads it."""

    text: str
    """What the model reads; at most 32 KiB."""
    is_error: bool = False
    summary: str = ""
    """A few words for the person, e.g. "exit 1" or "14 matches in 5 files"."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """JSON facts of the tool: `exit_code`, `seconds`, `bytes`, `lines`, `matches`, ..."""
    diff: FileDiff | None = None
    attachments: list[str] = field(default_factory=list[str])
    """Ids of attachments."""


@dataclass(slots=True)
class ToolCallPart:
    """A tool call and, once it ended, its result."""

    part_id: PartId
    call_id: CallId
    tool: str
    arguments: dict[str, Any]
    state: CallState = "pending"
    arguments_error: str = ""
    """Why the model's arguments could not be read; such a call is never run."""
    raw_arguments: str = ""
    """The model's own text when `arguments_error` is set, else empty."""
    title: str = ""
    """What the row shows beside the verb: a command's first line, a path, a pattern."""
    started_at: str | None = None
    ended_at: str | None = None
    result: ToolResult | None = None
    type: Literal["tool_call"] = "tool_call"


Part = Annotated[TextPart | ThinkingPart | ToolCallPart | ImagePart, Discriminator("type")]


@dataclass(slots=True)
class Message:
    """One message of a session."""

    message_id: MessageId
    role: Role
    created_at: str
    run_id: RunId | None = None
    """The run it belongs to; None while it waits in the queue."""
    client_message_id: str | None = None
    parts: list[Part] = field(default_factory=list[Part])
    cut: bool = False
    """The stream of this answer ended before the model said it was done."""
    reasoning: Reasoning | None = None
    """What goes back to the model with this answer; None = nothing."""
