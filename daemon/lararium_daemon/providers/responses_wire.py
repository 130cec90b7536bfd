"""The Responses API of OpenAI and of servers that speak it too."""

from collections.abc import Collection, Mapping

from lararium_daemon.providers.provider import ModelRequest, ProviderError
from lararium_daemon.providers.responses_request import encode_responses_request
from lararium_daemon.providers.responses_stream import ResponsesStream
from lararium_daemon.providers.wire import refuses_schemas


class ResponsesWire:
    """Asks for responses."""

    path = "/responses"

    def __init__(self) -> None:
        self._with_schema = True

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        return encode_responses_request(request, model, with_schema=self._with_schema)

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Nothing is said in headers."""
        del request
        return {}

    def decoder(self, tool_names: Collection[str]) -> ResponsesStream:
        """Begin an answer."""
        return ResponsesStream(tool_names)

    def adapts_to(self, error: ProviderError) -> bool:
        """A few servers refuse to be asked for an answer's shape."""
        if not self._with_schema or not refuses_schemas(error):
            return False
        self._with_schema = False
        return True
