"""Chat completions of any OpenAI-compatible server."""

import re
from collections.abc import Collection, Mapping

from lararium_daemon.providers.chat_request import Gap, encode_request
from lararium_daemon.providers.chat_stream import ChatStream
from lararium_daemon.providers.provider import ModelRequest, ProviderError
from lararium_daemon.providers.wire import refuses_schemas

_SIGNATURE = re.compile(r"thought.?signature", re.IGNORECASE)
_SHOWN = re.compile(r"reasoning_content", re.IGNORECASE)
_MISSED = re.compile(r"missing|required|must (be|include|have|contain)", re.IGNORECASE)
_KEPT = re.compile(r"reasoning_(content|details|opaque|text)|extra_content|['\"`]reasoning['\"`]")


class ChatWire:
    """Asks for chat completions."""

    path = "/chat/completions"

    def __init__(self) -> None:
        self._with_usage = self._with_schema = self._with_reasoning = True
        self._gaps: set[Gap] = set()

    def encode(self, request: ModelRequest, model: str) -> bytes:
        """Give the body of the call."""
        return encode_request(
            request,
            model,
            with_usage=self._with_usage,
            with_schema=self._with_schema,
            with_reasoning=self._with_reasoning,
            gaps=self._gaps,
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
        return error.code == "provider_bad_request" and self._adapts_reasoning(error.detail)

    def _adapts_reasoning(self, said: str) -> bool:
        """A server may miss the reasoning of calls that another model made, or refuse its own."""
        gap: Gap | None = None
        if _SIGNATURE.search(said):
            gap = "thought_signature"
        elif _SHOWN.search(said) and _MISSED.search(said):
            gap = "reasoning_content"
        if gap is not None:
            is_new = gap not in self._gaps
            self._gaps.add(gap)
            return is_new
        if not (self._with_reasoning and _KEPT.search(said)):
            return False
        self._with_reasoning = False
        return True
