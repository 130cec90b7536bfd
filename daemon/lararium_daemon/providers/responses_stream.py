"""One answer of the Responses API, decoded: the data of server-sent events in, model events out.

Pure and cheap, like `chat_stream.py`, and as forgiving: a call is taken from its deltas, from its
whole arguments or from its item, whichever a server sends; text that came in no delta is taken from
the final response.

Source: https://platform.openai.com/docs/api-reference/responses-streaming
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from lararium_daemon.protocol.reasoning import Reasoning
from lararium_daemon.protocol.text import whole_json, whole_text
from lararium_daemon.providers.arguments import arguments_text, parse_arguments
from lararium_daemon.providers.provider import (
    CallRequested,
    Finished,
    ModelEvent,
    TextDelta,
    ThinkingDelta,
)
from lararium_daemon.providers.stream_json import InStreamError, Json, load_event
from lararium_daemon.providers.text_runs import TextRuns
from lararium_daemon.providers.usage import Usage, read_usage

OUTPUT_LIMIT = "max_output_tokens"
_TEXT = frozenset({"response.output_text.delta", "response.refusal.delta"})
_THINKING = frozenset({"response.reasoning_summary_text.delta", "response.reasoning_text.delta"})
_ARGUMENTS = "response.function_call_arguments"
_ENDS = frozenset({"response.completed", "response.incomplete", "response.done"})


@dataclass(slots=True)
class _Draft:
    """A call whose pieces are still coming."""

    name: str = ""
    call_id: str = ""
    pieces: list[str] = field(default_factory=list[str])
    whole: str = ""
    """Its arguments as a later event gave them at once."""

    def text(self) -> str:
        return whole_text(self.whole or "".join(self.pieces))


class ResponsesStream:
    """The decoder of one answer."""

    def __init__(self, tool_names: Collection[str] = ()) -> None:
        del tool_names  # the API tells calls apart by itself
        self._text = TextRuns()
        self._drafts: dict[str, _Draft] = {}
        self._latest: dict[str, str] = {}
        """By place: the key of the call that was begun there last."""
        self._reasoning: dict[str, Json] = {}
        """Sealed reasoning items by id."""
        self._usage = Usage()
        self._finish_reason: str | None = None
        self._has_text = False
        self.done = False
        """The end of the answer was seen: nothing follows."""
        self.has_content = False
        """Anything of an answer was seen."""

    @property
    def is_finished(self) -> bool:
        """The answer is complete: its final response, or a `[DONE]`, was seen."""
        return self.done or self._finish_reason is not None

    def feed(self, events: Iterable[bytes]) -> list[ModelEvent]:
        """Take the data of events that came together; give what they say.

        Raises:
            BadChunkError: an event is no JSON object.
            InStreamError: the server reported an error.
        """
        for data in events:
            if data.strip() == b"[DONE]":
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
        response = load_event(body)
        if response.get("error"):
            raise InStreamError(response["error"])
        if isinstance(response.get("output"), list):
            self._end(response)
        return self._text.take()

    def drain(self) -> list[ModelEvent]:
        """Give what was decoded before `feed` raised."""
        return self._text.take()

    def finish(self) -> list[ModelEvent]:
        """Give the calls and the end; to be asked once, when `is_finished`."""
        reason = self._finish_reason or ""
        drafts = list(self._drafts.values())
        calls: list[ModelEvent] = []
        for number, draft in enumerate(drafts, 1):
            # The last call of an answer that ended at its limit may be cut.
            is_cut = reason == OUTPUT_LIMIT and number == len(drafts)
            raw = draft.text()
            parsed = parse_arguments(raw, hit_output_limit=is_cut)
            calls.append(CallRequested(whole_text(draft.name), parsed.value, raw, parsed.error))
        usage = self._usage
        items = [whole_json(item) for item in self._reasoning.values()]
        end = Finished(
            reason,
            usage.input_tokens,
            usage.output_tokens,
            usage.cached_tokens,
            reasoning=Reasoning(items=items) if items else None,
        )
        return [*self._text.take(is_last=True), *calls, end]

    def _take(self, event: Json) -> None:
        kind = event.get("type")
        if not isinstance(kind, str):
            if event.get("error"):
                raise InStreamError(event["error"])
            return
        if kind in _TEXT:
            self._add(event.get("delta"))
        elif kind in _THINKING:
            self._add(event.get("delta"), is_thinking=True)
        elif kind.startswith(_ARGUMENTS):
            self._take_arguments(event, is_whole=kind.endswith(".done"))
        elif kind in {"response.output_item.added", "response.output_item.done"}:
            if kind.endswith(".done"):
                self._keep_reasoning(_object(event.get("item")))
            self._take_item(event.get("item"), _place(event))
        elif kind in _ENDS:
            self._end(_object(event.get("response")))
        elif kind in {"error", "response.failed", "response.error"}:
            raise InStreamError(_failure(event))

    def _add(self, text: Any, *, is_thinking: bool = False) -> None:
        if isinstance(text, str) and text:
            self.has_content = True
            self._has_text = self._has_text or not is_thinking
            self._text.add(ThinkingDelta if is_thinking else TextDelta, text)

    def _take_arguments(self, event: Json, *, is_whole: bool) -> None:
        place = _place(event)
        draft = self._drafts.setdefault(self._latest.get(place, place), _Draft())
        self.has_content = True
        text = arguments_text(event.get("arguments" if is_whole else "delta"))
        if is_whole:
            draft.whole = text
        else:
            draft.pieces.append(text)
        name = event.get("name")
        if isinstance(name, str) and name:
            draft.name = name

    def _take_item(self, item: Any, place: str) -> None:
        fields = _object(item)
        if fields.get("type") != "function_call":
            return
        self.has_content = True
        draft = self._draft(place, str(fields.get("call_id") or ""))
        name, arguments = fields.get("name"), fields.get("arguments")
        if isinstance(name, str) and name:
            draft.name = name
        if arguments:  # an empty object may stand for what is still to come
            draft.whole = arguments_text(arguments)

    def _draft(self, place: str, call_id: str) -> _Draft:
        """Give the call at a place; another id there is another call of a server that counts none.

        Pieces say the place alone, and mean the call that was begun last.
        """
        known = self._drafts.get(place)
        key = place
        if known is not None and call_id and known.call_id not in {"", call_id}:
            key = f"{place} {call_id}"
        self._latest[place] = key
        draft = self._drafts.setdefault(key, _Draft())
        draft.call_id = draft.call_id or call_id
        return draft

    def _keep_reasoning(self, item: Json) -> None:
        """Keep a reasoning item that its server can read again; it keeps none by itself."""
        sealed = item.get("encrypted_content")
        if item.get("type") == "reasoning" and isinstance(sealed, str) and sealed:
            self._reasoning[str(item.get("id") or len(self._reasoning))] = item

    def _end(self, response: Json) -> None:
        """Take the final response: usage, how it ended, and what no event said."""
        self._usage = read_usage(response.get("usage"), self._usage)
        given = response.get("output")
        output = cast("list[Any]", given) if isinstance(given, list) else []
        if not all(draft.name for draft in self._drafts.values()):
            self._drafts.clear()  # its pieces did not say which calls they are of
        if not self._drafts:
            for place, item in enumerate(output):
                self._take_item(item, str(place))
        for item in output:
            self._keep_reasoning(_object(item))
        if not self._has_text:
            for item in output:
                self._take_message(_object(item))
        why = _object(response.get("incomplete_details")).get("reason")
        if isinstance(why, str) and why:
            self._finish_reason = why
        elif response.get("status") == "incomplete":
            self._finish_reason = "incomplete"
        else:
            self._finish_reason = "tool_calls" if self._drafts else "stop"
        self.done = self.has_content = True

    def _take_message(self, item: Json) -> None:
        if item.get("type") != "message" or not isinstance(item.get("content"), list):
            return
        for part in cast("list[Any]", item["content"]):
            fields = _object(part)
            self._add(fields.get("text") or fields.get("refusal"))


def _place(event: Json) -> str:
    """Give what tells one output item from another."""
    index = event.get("output_index")
    if isinstance(index, int):
        return str(index)
    item = _object(event.get("item"))
    return str(event.get("item_id") or item.get("id") or item.get("call_id") or "")


def _object(value: Any) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _failure(event: Json) -> Any:
    """Find the error: in the event, under `error`, or in the failed response."""
    inner = event.get("error") or _object(event.get("response")).get("error")
    return inner or {name: event[name] for name in ("message", "code") if event.get(name)}
