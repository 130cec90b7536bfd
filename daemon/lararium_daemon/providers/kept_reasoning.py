"""What an answer's stream carries to be sent back: gathered as it comes, and sent where it may.

Servers want it back in the shape in which it came. Sources (all of 2026):
https://api-docs.deepseek.com/guides/thinking_mode (`reasoning_content` of answers with calls, for
good), https://openrouter.ai/docs/use-cases/reasoning-tokens (`reasoning_details`, verbatim),
https://platform.minimax.io/docs/guides/text-m2-function-call (the same),
https://ai.google.dev/gemini-api/docs/thought-signatures (`extra_content` of calls, else 400).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.text import whole_json
from lararium_daemon.providers.provider import ModelMessage, ModelRequest
from lararium_daemon.providers.stream_json import Json
from lararium_daemon.settings import ReasoningBack

SHOWN_IN = ("reasoning_content", "reasoning", "reasoning_text")
"""Fields of a delta that hold reasoning to show."""
_DETAILS = "reasoning_details"
_OPAQUE = ("reasoning_opaque", "extra_content")
_GROWN = ("text", "summary", "data")


class KeptReasoning:
    """Gathers what one chat completion carries."""

    def __init__(self) -> None:
        self._shown_in = ""
        self._fields: Json = {}
        self._details: list[Json] = []

    def take(self, delta: Json) -> str:
        """Look at a delta; give the reasoning in it that is to be shown."""
        shown = ""
        for name in SHOWN_IN:
            text = delta.get(name)
            if isinstance(text, str) and (text or name == SHOWN_IN[0]):
                self._shown_in = self._shown_in or name
                shown = shown or text
        details = delta.get(_DETAILS)
        if isinstance(details, list):
            for item in cast("list[Any]", details):
                if isinstance(item, dict):
                    self._add_detail(cast("Json", item))
        for name in _OPAQUE:
            if delta.get(name):
                self._fields[name] = delta[name]
        return shown

    def reasoning(self, calls: list[Json]) -> Reasoning | None:
        """Give what is to be kept, with the further fields of each call; None = nothing."""
        fields = {**self._fields, _DETAILS: self._details} if self._details else self._fields
        kept = Reasoning(
            shown_in="" if self._details else self._shown_in,  # the details hold that text too
            fields=whole_json(fields),
            calls=whole_json(calls) if any(calls) else [],
        )
        return None if kept.is_empty else kept

    def _add_detail(self, item: Json) -> None:
        last = self._details[-1] if self._details else None
        is_next = last is not None and all(last.get(k) == item.get(k) for k in ("type", "index"))
        if last is None or not is_next or item.get("index") is None:
            self._details.append(dict(item))
            return
        for name, value in item.items():
            known = last.get(name)
            if name in _GROWN and isinstance(known, str) and isinstance(value, str):
                # MiniMax sends the next piece or the whole text so far, by the model.
                is_whole = _sends_whole(item) and value.startswith(known)
                last[name] = value if is_whole else known + value
            elif value is not None:
                last[name] = value


def _sends_whole(item: Mapping[str, Any]) -> bool:
    return str(item.get("format", "")).startswith("MiniMax")


def with_own_reasoning(request: ModelRequest, made_by: str, policy: ReasoningBack) -> ModelRequest:
    """Give the request with that reasoning alone which may go to `made_by` (`profile/model`)."""
    messages = [_pruned(message, made_by, policy) for message in request.messages]
    return replace(request, messages=messages, wants_reasoning=policy != "never")


def _pruned(message: ModelMessage, made_by: str, policy: ReasoningBack) -> ModelMessage:
    kept = message.reasoning
    if kept is None:
        return message
    if policy == "never" or kept.made_by != made_by:
        return replace(message, reasoning=None)
    if policy == "auto" and kept.shown_in and not message.tool_calls:
        return replace(message, reasoning=replace(kept, shown_in=""))
    return message
