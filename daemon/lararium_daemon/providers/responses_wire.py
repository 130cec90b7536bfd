"""The Responses API of OpenAI and of servers that speak it too."""

from collections.abc import Collection, Mapping

from lararium_daemon.providers.provider import ModelRequest, ProviderError
from lararium_daemon.providers.responses_request import encode_responses_request
from lararium_daemon.providers.responses_stream import ResponsesStream


class ResponsesWire:
    """Asks for responses."""

    path = "/responses"

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        return encode_responses_request(request, model)

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Nothing is said in headers."""
        del request
        return {}

    def decoder(self, tool_names: Collection[str]) -> ResponsesStream:
        """Begin an answer."""
        return ResponsesStream(tool_names)

    def adapts_to(self, error: ProviderError) -> bool:
        """There is nothing to leave out."""
        del error
        return False
