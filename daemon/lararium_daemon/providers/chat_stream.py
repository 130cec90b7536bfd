"""One chat completion's chunks, decoded: the data of server-sent events in, model events out.

Pure and cheap: all text that came in one network read leaves as one delta. Strict about what a call
is (`tool_drafts.py`, `arguments.py`), forgiving about the rest: `choices` empty, null or missing,
null content, content in parts, errors inside a stream that began well, lone surrogates, NaN.
Calls leave at the end of the answer, since any of them may still grow until then.
"""

from collections.abc import Collection, Iterable
from typing import Any, cast

from lararium_daemon.providers.kept_reasoning import KeptReasoning
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.providers.stream_json import InStreamError, Json, load_event
from lararium_daemon.providers.text_runs import Kind, TextRuns
from lararium_daemon.providers.tool_drafts import ToolDrafts
from lararium_daemon.providers.usage import Usage, read_usage

OUTPUT_LIMIT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "MAX_TOKENS"})


class ChatStream:
    """The decoder of one answer."""

    def __init__(self, tool_names: Collection[str] = ()) -> None:
        self._drafts = ToolDrafts(tool_names)
        self._finish_reason: str | None = None
        self._usage = Usage()
        self._text = TextRuns()
        self._kept = KeptReasoning()
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
            self._take(load_event(data))
        return self._text.take()

    def feed_whole(self, body: bytes) -> list[ModelEvent]:
        """Take the body of an answer that was not streamed.

        Raises:
            BadChunkError: it is no JSON object.
            InStreamError: it reports an error.
        """
        self._take(load_event(body))
        self.done = self.has_content
        return self._text.take()

    def finish(self) -> list[ModelEvent]:
        """Give the calls and the end; to be asked once, when `is_finished`."""
        reason = self._finish_reason or ""
        calls = self._drafts.finish(hit_output_limit=reason in OUTPUT_LIMIT_REASONS)
        usage = self._usage
        end = Finished(
            reason,
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            reasoning=self._kept.reasoning(self._drafts.extras),
        )
        return [*self._text.take(is_last=True), *calls, end]

    def drain(self) -> list[ModelEvent]:
        """Give what was decoded before `feed` raised."""
        return self._text.take()

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
        thinking = self._kept.take(delta)
        if thinking:
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

    def _add(self, kind: Kind, text: str) -> None:
        self.has_content = True
        self._text.add(kind, text)
