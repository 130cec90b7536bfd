"""The Responses API of OpenAI and of servers that speak it too."""

import re
from collections.abc import Collection, Mapping

from lararium_daemon.providers.provider import ModelRequest, ProviderError
from lararium_daemon.providers.responses_request import encode_responses_request
from lararium_daemon.providers.responses_stream import ResponsesStream
from lararium_daemon.providers.wire import refuses_schemas

_REASONING = re.compile(r"encrypted|\binclude\b|\brs_|reasoning.{0,3} item", re.IGNORECASE)


class ResponsesWire:
    """Asks for responses."""

    path = "/responses"

    def __init__(self) -> None:
        self._with_schema = self._with_reasoning = True

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        return encode_responses_request(
            request,
            model,
            with_schema=self._with_schema,
            with_reasoning=self._with_reasoning,
        )

    def headers(self, request: ModelRequest) -> Mapping[str, str]:
        """Nothing is said in headers."""
        del request
        return {}

    def decoder(self, tool_names: Collection[str]) -> ResponsesStream:
        """Begin an answer."""
        return ResponsesStream(tool_names)

    def adapts_to(self, error: ProviderError) -> bool:
        """A few servers refuse to be asked for an answer's shape, or for sealed reasoning."""
        if self._with_schema and refuses_schemas(error):
            self._with_schema = False
            return True
        if self._with_reasoning and _is_about_reasoning(error):
            self._with_reasoning = False
            return True
        return False


def _is_about_reasoning(error: ProviderError) -> bool:
    """Tell whether a server did not take the call for the reasoning in it or asked for."""
    is_about = _REASONING.search(error.detail) is not None
    return is_about and error.code == "provider_bad_request"
