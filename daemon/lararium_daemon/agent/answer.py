"""One model answer: its stream turned into parts as it comes.

Text is shown at once as volatile deltas and made durable every 250 ms or 16 KiB, so that a crash
loses at most that much of an answer. What is not durable yet is in `rest()`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Literal

import anyio

from lararium_daemon.agent.ports import Recorder
from lararium_daemon.protocol.events import Event, Notice, PartAppended, PartDelta, Usage
from lararium_daemon.protocol.ids import MessageId, PartId, RunId, new_call_id, new_part_id
from lararium_daemon.protocol.messages import TextPart, ThinkingPart, ToolCallPart
from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.text import utf16_length, whole_json, whole_text
from lararium_daemon.providers.provider import (
    CallRequested,
    FellBack,
    Finished,
    ModelEvent,
    Retrying,
    TextDelta,
    ThinkingDelta,
)

DURABLE_SECONDS = 0.25
DURABLE_BYTES = 16 * 1024
_TITLE_KEYS = ("command", "path", "pattern", "summary", "query", "url")

Kind = Literal["text", "thinking"]


@dataclass(slots=True)
class _OpenPart:
    """The part that grows."""

    part_id: PartId
    kind: Kind
    length: int = 0
    """UTF-16 units shown so far."""
    durable: int = 0
    """UTF-16 units committed so far."""
    pending: list[str] = field(default_factory=list[str])
    pending_bytes: int = 0


@dataclass(slots=True)
class Answer:
    """Reads a model's stream into the message `message_id`."""

    recorder: Recorder
    run_id: RunId
    message_id: MessageId
    text: str = ""
    calls: list[ToolCallPart] = field(default_factory=list[ToolCallPart])
    finish_reason: str = ""
    usage: Usage | None = None
    reasoning: Reasoning | None = None
    _pieces: list[str] = field(default_factory=list[str])
    _open: _OpenPart | None = None
    _done: list[Event] = field(default_factory=list[Event])
    _saved_at: float = 0.0

    @property
    def is_empty(self) -> bool:
        """Whether the model said nothing and asked for nothing."""
        return not self.calls and not self.text.strip()

    async def read(self, stream: AsyncIterator[ModelEvent]) -> None:
        """Read to the end; what was read stays when the stream fails or is cancelled."""
        self._saved_at = anyio.current_time()
        try:
            async for event in stream:
                match event:
                    case TextDelta(text):
                        self._pieces.append(text)
                        await self._grow("text", text)
                    case ThinkingDelta(text):
                        await self._grow("thinking", text)
                    case CallRequested():
                        self._add_call(event)
                    case Retrying(seconds, reason):
                        await self._say_retry(seconds, reason)
                    case FellBack():
                        await self._say_fallback(event)
                    case Finished():
                        self._finish(event)
        finally:
            self.text = "".join(self._pieces)

    def rest(self) -> list[Event]:
        """Take the events that make the answer so far wholly durable."""
        self._close_part()
        events, self._done = self._done, []
        return events

    async def _grow(self, kind: Kind, text: str) -> None:
        text = whole_text(text)
        if not text:
            return
        if self._open is None or self._open.kind != kind:
            self._close_part()
            self._open = _OpenPart(new_part_id(), kind)
        part = self._open
        self.recorder.emit(PartDelta(self.message_id, part.part_id, kind, part.length, text))
        part.length += utf16_length(text)
        part.pending.append(text)
        part.pending_bytes += len(text)
        now = anyio.current_time()
        if part.pending_bytes >= DURABLE_BYTES or now - self._saved_at >= DURABLE_SECONDS:
            self._save_part(part)
            events, self._done = self._done, []
            await self.recorder.commit(events)
            self._saved_at = anyio.current_time()

    def _save_part(self, part: _OpenPart) -> None:
        if not part.pending:
            return
        piece = "".join(part.pending)
        make = TextPart if part.kind == "text" else ThinkingPart
        self._done.append(
            PartAppended(self.message_id, make(part.part_id, piece), offset=part.durable)
        )
        part.durable = part.length
        part.pending.clear()
        part.pending_bytes = 0

    def _close_part(self) -> None:
        if self._open is not None:
            self._save_part(self._open)
            self._open = None

    def _add_call(self, event: CallRequested) -> None:
        self._close_part()
        call = ToolCallPart(
            new_part_id(),
            new_call_id(),
            whole_text(event.name),
            whole_json(event.arguments or {}),
            arguments_error=event.arguments_error,
            raw_arguments=whole_text(event.raw) if event.arguments_error else "",
        )
        call.title = _title(call)
        self.calls.append(call)
        self._done.append(PartAppended(self.message_id, call))

    async def _say_retry(self, seconds: float, reason: str) -> None:
        text = f"{reason} Trying again in {seconds:.0f} s."
        await self.recorder.commit([Notice("info", "provider_retry", text, self.run_id)])

    async def _say_fallback(self, event: FellBack) -> None:
        text = (
            f"{event.left} does not answer: {event.reason}. "
            f"{event.taken} answers for the rest of this run."
        )
        await self.recorder.commit([Notice("warning", "provider_fallback", text, self.run_id)])

    def _finish(self, event: Finished) -> None:
        self.finish_reason = event.finish_reason
        self.usage = usage_of(event)
        self.reasoning = event.reasoning


def usage_of(event: Finished) -> Usage | None:
    """Give what a model call used; None when its server did not say."""
    if event.input_tokens is None and event.output_tokens is None:
        return None
    return Usage(
        event.input_tokens, event.output_tokens, event.cached_tokens, event.model, event.phases
    )


def _title(call: ToolCallPart) -> str:
    """Give what the call's row shows before its preview is known."""
    for key in _TITLE_KEYS:
        value = call.arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip().splitlines()[0][:200]
    return ""
