"""Chat completions of any OpenAI-compatible server."""

from collections.abc import Collection, Mapping

from lararium_daemon.providers.chat_request import encode_request
from lararium_daemon.providers.chat_stream import ChatStream
from lararium_daemon.providers.provider import ModelRequest, ProviderError
from lararium_daemon.providers.wire import refuses_schemas


class ChatWire:
    """Asks for chat completions."""

    path = "/chat/completions"

    def __init__(self) -> None:
        self._with_usage = self._with_schema = True

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        return encode_request(
            request, model, with_usage=self._with_usage, with_schema=self._with_schema
        )

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Nothing is said in headers."""
        del request
        return {}

    def decoder(self, tool_names: Collection[str]) -> ChatStream:
        """Begin an answer."""
        return ChatStream(tool_names)

    def adapts_to(self, error: ProviderError) -> bool:
        """A few servers refuse to be asked for token counts, or for an answer's shape."""
        if self._with_usage and "stream_options" in error.detail:
            self._with_usage = False
            return True
        if self._with_schema and refuses_schemas(error):
            self._with_schema = False
            return True
        return False
