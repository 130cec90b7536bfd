"""One chat completion's chunks, decoded: the data of server-sent events in, model events out.

Pure and cheap: all text that came in one network read leaves as one delta. Strict about what a call
is (`tool_drafts.py`, `arguments.py`), forgiving about the rest: `choices` empty, null or missing,
null content, content in parts, errors inside a stream that began well, lone surrogates, NaN.
Calls leave at the end of the answer, since any of them may still grow until then.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any, cast

import orjson

from lararium_daemon.protocol.text import whole_text
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.providers.tool_drafts import ToolDrafts
from lararium_daemon.providers.usage import Usage, read_usage

Json = dict[str, Any]

OUTPUT_LIMIT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS"})


class BadChunkError(ValueError):
    """An event of the stream that is no JSON object."""


class InStreamError(Exception):
    """The server reported an error inside the stream."""

    def __init__(self, error: Any) -> None:
        super().__init__("the model server reported an error inside its answer")
        self.error = error
        """What stood under `error`: mostly an object with `message` and `code`."""


class ChatStream:
    """The decoder of one answer."""

    def __init__(self, tool_names: Collection[str] = ()) -> None:
        self._drafts = ToolDrafts(tool_names)
        self._finish_reason: str | None = None
        self._usage = Usage()
        self._kind: type[TextDelta | ThinkingDelta] = TextDelta
        self._pieces: list[str] = []
        """Text of `_kind` that has not left yet."""
        self._ready: list[ModelEvent] = []
        self._surrogate = ""
        """The first half of a pair that a server split over two chunks."""
        self.done = False
        """`[DONE]` was seen: nothing follows."""
        self.has_content = False
        """Anything of an answer was seen."""

    @property
    def is_finished(self) -> bool:
        """The answer is complete: its reason to finish, or `[DONE]`, was seen."""
        return self.done or self._finish_reason is not None

    def feed(self, events: Iterable[bytes]) -> list[ModelEvent]:
        """Take the data of events that came together; give what they say.

        Raises:
            BadChunkError: an event is no JSON object.
            InStreamError: the server reported an error.
        """
        for data in events:
            if data == b"[DONE]" or data.strip() == b"[DONE]":
                self.done = True
                break
            self._take(_load(data))
        return self._flush()

    def feed_whole(self, body: bytes) -> list[ModelEvent]:
        """Take the body of an answer that was not streamed.

        Raises:
            BadChunkError: it is no JSON object.
            InStreamError: it reports an error.
        """
        self._take(_load(body))
        self.done = self.has_content
        return self._flush()

    def finish(self) -> list[ModelEvent]:
        """Give the calls and the end; to be asked once, when `is_finished`."""
        reason = self._finish_reason or ""
        calls = self._drafts.finish(hit_output_limit=reason in OUTPUT_LIMIT_REASONS)
        self._close_run(is_last=True)
        usage = self._usage
        end = Finished(reason, usage.input_tokens, usage.output_tokens, usage.cached_tokens)
        return [*self._flush(), *calls, end]

    def drain(self) -> list[ModelEvent]:
        """Give what was decoded before `feed` raised."""
        return self._flush()

    def _take(self, chunk: Json) -> None:
        if chunk.get("error"):
            raise InStreamError(chunk["error"])
        usage = chunk.get("usage")
        if usage:
            self._usage = read_usage(usage, self._usage)
        choices = chunk.get("choices")
        if not choices or not isinstance(choices, list):
            return
        first = cast("list[Any]", choices)[0]
        if not isinstance(first, dict):
            return
        choice = cast("Json", first)
        if choice.get("index"):
            return  # a second choice was not asked for
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self._finish_reason = reason
            self.has_content = True
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            self._take_delta(cast("Json", delta))

    def _take_delta(self, delta: Json) -> None:
        content = delta.get("content")
        if content and isinstance(content, str):
            self._add(TextDelta, content)
            if len(delta) == 1:
                return
        elif content:
            self._take_parts(content)
        thinking = delta.get("reasoning_content") or delta.get("reasoning")
        if isinstance(thinking, str) and thinking:
            self._add(ThinkingDelta, thinking)
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self._add(TextDelta, refusal)
        calls = delta.get("tool_calls")
        if not calls and delta.get("function_call"):  # the older shape of a single call
            calls = [delta["function_call"]]
        if isinstance(calls, list) and calls:
            self.has_content = True
            self._drafts.add(cast("list[Any]", calls))

    def _take_parts(self, content: Any) -> None:
        """Read content that comes in typed parts."""
        if not isinstance(content, list):
            return
        for item in cast("list[Any]", content):
            if not isinstance(item, dict):
                continue
            part = cast("Json", item)
            if isinstance(part.get("text"), str):
                self._add(TextDelta, part["text"])
            elif isinstance(part.get("thinking"), str):
                self._add(ThinkingDelta, part["thinking"])
            elif isinstance(part.get("thinking"), list):
                inner = cast("list[Json]", part["thinking"])
                texts = [p["text"] for p in inner if isinstance(p.get("text"), str)]
                self._add(ThinkingDelta, "".join(texts))

    def _add(self, kind: type[TextDelta | ThinkingDelta], text: str) -> None:
        self.has_content = True
        if kind is not self._kind:
            self._close_run(is_last=True)
            self._kind = kind
        self._pieces.append(text)

    def _close_run(self, *, is_last: bool = False) -> None:
        """Make one event of the pieces so far; unless `is_last`, half a pair waits for the rest."""
        text = self._surrogate + "".join(self._pieces)
        self._pieces.clear()
        self._surrogate = ""
        if not text:
            return
        if "\ud800" <= text[-1] <= "\udbff" and not is_last:
            self._surrogate = text[-1]
            text = text[:-1]
        if text:
            self._ready.append(self._kind(whole_text(text)))

    def _flush(self) -> list[ModelEvent]:
        if self._pieces:
            self._close_run()
        ready = self._ready
        self._ready = []
        return ready


def _load(data: bytes) -> Json:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        value = _load_leniently(data)
    if not isinstance(value, dict):
        raise BadChunkError("the model server sent an event that is no JSON object")
    return cast("Json", value)


def _load_leniently(data: bytes) -> Any:
    """Read what a strict parser refuses though its meaning is plain: NaN, lone surrogates."""
    text = data.decode(errors="replace")
    try:
        return json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise BadChunkError("the model server sent an event that is no JSON") from error
