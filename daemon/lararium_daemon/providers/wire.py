"""What differs between the ways to ask a model over HTTP: words going out, words coming back."""

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

from lararium_daemon.providers.provider import ModelEvent, ModelRequest, ProviderError


def refuses_schemas(error: ProviderError) -> bool:
    """Tell whether a server did not take the call for the schema in it."""
    is_about = any(
        word in error.detail for word in ("response_format", "json_schema", "text.format")
    )
    return is_about and error.code == "provider_bad_request"


class Decoder(Protocol):
    """Decodes one answer. Pure: bytes in, events out."""

    @property
    def is_finished(self) -> bool:
        """The answer is complete."""
        ...

    @property
    def done(self) -> bool:
        """Nothing follows any more."""
        ...

    @property
    def has_content(self) -> bool:
        """Anything of an answer was seen."""
        ...

    def feed(self, events: Iterable[bytes]) -> list[ModelEvent]:
        """Take the data of events that came together; give what they say.

        Raises:
            BadChunkError: an event is no JSON object.
            InStreamError: the server reported an error.
        """
        ...

    def feed_whole(self, body: bytes) -> list[ModelEvent]:
        """Take the body of an answer that was not streamed; raises as `feed` does."""
        ...

    def drain(self) -> list[ModelEvent]:
        """Give what was decoded before `feed` raised."""
        ...

    def finish(self) -> list[ModelEvent]:
        """Give the calls and the end; to be asked once, when `is_finished`."""
        ...


class Wire(Protocol):
    """One way to ask. Belongs to one provider and may learn from a server's refusals."""

    @property
    def path(self) -> str:
        """Where the call goes, below the base URL."""
        ...

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        ...

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Give the headers that this call needs beside the profile's."""
        ...

    def decoder(self, tool_names: Collection[str]) -> Decoder:
        """Begin an answer."""
        ...

    def adapts_to(self, error: ProviderError) -> bool:
        """Whether another body of the same meaning may be taken; the next `encode` gives it."""
        ...
