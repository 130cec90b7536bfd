"""What the loop asks of a model, whoever serves it.

A provider turns a `ModelRequest` into a stream of `ModelEvent`s. It opens its connection on the
first `__anext__`, closes it when the iterator is closed or its task is cancelled, and retries only
before the first event (`retry.py`). It raises `ProviderError` and nothing else.
"""

from base64 import b64encode
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from lararium_daemon.protocol.events import CallPhases
from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.providers.answer_schema import AnswerSchema


@dataclass(slots=True, frozen=True)
class ModelToolCall:
    """A tool call of an earlier answer, as it goes back to the model."""

    id: str
    name: str
    arguments_json: str
    """Always valid JSON of an object."""


@dataclass(slots=True, frozen=True)
class ModelImage:
    """A picture of a message to the model."""

    attachment_id: str
    media_type: str
    name: str
    data: bytes = b""
    """Filled in by the provider that sends it."""

    @property
    def data_url(self) -> str:
        """The picture as an address that holds it."""
        return f"data:{self.media_type};base64,{b64encode(self.data).decode('ascii')}"


@dataclass(slots=True, frozen=True)
class ModelMessage:
    """One message to the model."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str = ""
    tool_calls: tuple[ModelToolCall, ...] = ()
    tool_call_id: str = ""
    """Of a `tool` message: the call it answers."""
    reasoning: Reasoning | None = None
    """Of an answer: what may go back to the model that made it."""
    thinking: str = ""
    """Of an answer: the reasoning that was shown."""
    images: tuple[ModelImage, ...] = ()
    """Of the person's message, behind its text."""


@dataclass(slots=True, frozen=True)
class ToolSpec:
    """A tool offered to the model."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON schema of an object."""


@dataclass(slots=True, frozen=True)
class ModelRequest:
    """One model call."""

    model: str
    messages: list[ModelMessage]
    tools: list[ToolSpec] = field(default_factory=list[ToolSpec])
    schema: AnswerSchema | None = None
    """What the answer has to look like; a server that knows no schemas is not bound to it."""
    wants_reasoning: bool = True
    """Whether to ask for what can be sent back of the answer's reasoning."""


@dataclass(slots=True, frozen=True)
class TextDelta:
    """The next piece of the answer."""

    text: str


@dataclass(slots=True, frozen=True)
class ThinkingDelta:
    """The next piece of shown reasoning."""

    text: str


@dataclass(slots=True, frozen=True)
class CallRequested:
    """A complete tool call; sent once its arguments are all there.

    `arguments` is None when `arguments_error` says why the text in `raw` is no JSON object.
    """

    name: str
    arguments: dict[str, Any] | None
    raw: str
    arguments_error: str = ""


@dataclass(slots=True, frozen=True)
class Retrying:
    """The provider waits `seconds` and tries again."""

    seconds: float
    reason: str


@dataclass(slots=True, frozen=True)
class FellBack:
    """The profile `left` did not answer, for the `reason`; from now on `taken` does."""

    left: str
    taken: str
    reason: str


@dataclass(slots=True, frozen=True)
class Finished:
    """The last event of a stream that ended as it should.

    `finish_reason` is the provider's word ("" when it gave none); token counts are None when not
    reported.
    """

    finish_reason: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    model: str = ""
    """What answered, as `profile/model`; "" when nobody says."""
    phases: CallPhases | None = None
    reasoning: Reasoning | None = None
    """What goes back with this answer; None = nothing."""


ModelEvent = TextDelta | ThinkingDelta | CallRequested | Retrying | FellBack | Finished


class ProviderError(Exception):
    """A model call failed.

    `code` is stable: provider_auth, provider_quota, provider_rate_limit, provider_overloaded,
    provider_context_overflow, provider_bad_request, provider_bad_response, provider_cut,
    provider_timeout, provider_unreachable, provider_tls, provider_not_configured.
    `detail` names the layer, the status and the next step, for the person.
    """

    def __init__(
        self, code: str, detail: str, *, status: int | None = None, retry_after: float | None = None
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.status = status
        self.retry_after = retry_after
        """Seconds; None = the server did not say."""


class Provider(Protocol):
    """A way to reach models."""

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model. The caller closes the generator (`aclosing`)."""
        ...
