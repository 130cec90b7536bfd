"""The messages of a session and the index that makes growing them cheap.

Twenty thousand deltas go through here in a run, so nothing looks at a text as a whole: lengths in
UTF-16 units are kept by part, and a text grows in place.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from lararium_daemon.protocol.events import PartAppended, PartDelta
from lararium_daemon.protocol.ids import CallId, MessageId, PartId
from lararium_daemon.protocol.messages import (
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from lararium_daemon.protocol.text import utf16_index, utf16_length


@dataclass(slots=True)
class _Text:
    part: TextPart | ThinkingPart
    message_id: MessageId
    units: int
    """UTF-16 units of the text so far."""
    durable: int
    """How many of them a durable event has said."""


class Transcript:
    """Owner of a session's messages; the list it is given is grown in place."""

    def __init__(self, messages: list[Message]) -> None:
        self._messages = messages
        self._by_id: dict[MessageId, Message] = {}
        self._texts: dict[PartId, _Text] = {}
        self._undurable: dict[PartId, _Text] = {}
        self.calls: dict[CallId, ToolCallPart] = {}
        self.queued: dict[MessageId, Message] = {}
        """The person's messages that no run has taken yet, oldest first."""
        self.parts = 0
        self.chars = 0
        self.changed_from = 0
        """The place of the first message that a durable event has changed since `note_kept`."""
        self._places: dict[MessageId, int] = {}
        self._owners: dict[CallId, MessageId] = {}
        for message in messages:
            self._places[message.message_id] = len(self._places)
            self._index(message)

    @property
    def last_id(self) -> MessageId | None:
        """The last message that is not waiting in the queue."""
        for message in reversed(self._messages):
            if message.message_id not in self.queued:
                return message.message_id
        return None

    def message(self, message_id: MessageId) -> Message | None:
        """Give a message; None when there is none of that id."""
        return self._by_id.get(message_id)

    def append(self, message: Message) -> None:
        """Take a copy of the message: whoever made the event may keep its own."""
        own = replace(message, parts=[replace(part) for part in message.parts])
        self._messages.append(own)
        self._places[own.message_id] = len(self._messages) - 1
        self.touch(own.message_id)
        self._index(own)

    def remove(self, message_id: MessageId) -> None:
        """Drop a message that waits in the queue; any other stays."""
        message = self.queued.pop(message_id, None)
        if message is None:
            return
        del self._by_id[message_id]
        self._pull_out(message)
        self.parts -= len(message.parts)
        for part in message.parts:
            text = self._texts.pop(part.part_id, None)
            self.chars -= text.units if text else 0

    def take(self, message_id: MessageId) -> Message | None:
        """Take a message out of the queue to the end; None when it was not waiting."""
        message = self.queued.pop(message_id, None)
        if message is not None:
            self._pull_out(message)
            self._places[message_id] = len(self._messages)
            self._messages.append(message)
        return message

    def put(self, event: PartAppended) -> None:
        """Fold a durable part in: a call whole, a text cut at the offset and continued."""
        message = self._by_id.get(event.message_id)
        if message is None:
            return
        self.touch(event.message_id)
        match event.part:
            case ToolCallPart() as call:
                self._put_call(message, replace(call))
            case ImagePart() as image:
                self._put_whole(message, replace(image))
            case TextPart() | ThinkingPart() as piece:
                self._put_text(message, piece, event.offset)

    def touch(self, message_id: MessageId) -> None:
        """Note that a durable event changes a message."""
        self.changed_from = min(self.changed_from, self._places.get(message_id, self.changed_from))

    def touch_call(self, call_id: CallId) -> None:
        """Note that a durable event changes a call."""
        owner = self._owners.get(call_id)
        if owner is not None:
            self.touch(owner)

    def note_kept(self) -> None:
        """Note that every message is kept as it is now."""
        self.changed_from = len(self._messages)

    def grow(self, delta: PartDelta) -> bool:
        """Fold a delta in; False when text before it is missing.

        What is there already is dropped, so a delta may come twice.
        """
        text = self._texts.get(delta.part_id)
        if text is None:
            message = self._by_id.get(delta.message_id)
            if message is None or delta.offset != 0:
                return False
            kind = TextPart if delta.kind == "text" else ThinkingPart
            text = self._open(message, kind(delta.part_id, ""))
        units = utf16_length(delta.text)
        known = text.units - delta.offset
        if known < 0:
            return False
        if known >= units:
            return True
        self._extend(text, delta.text[utf16_index(delta.text, known) :], units - known)
        self._undurable[delta.part_id] = text
        return True

    def undurable(self) -> list[PartDelta]:
        """Give what deltas said and no durable event has said yet, a piece a part."""
        return [
            PartDelta(
                text.message_id,
                part_id,
                text.part.type,
                text.durable,
                text.part.text[utf16_index(text.part.text, text.durable) :],
            )
            for part_id, text in self._undurable.items()
        ]

    def _index(self, message: Message) -> None:
        self._by_id[message.message_id] = message
        if message.role == "user" and message.run_id is None:
            self.queued[message.message_id] = message
        self.parts += len(message.parts)
        for part in message.parts:
            self._index_part(message.message_id, part)

    def _index_part(self, message_id: MessageId, part: Part) -> None:
        match part:
            case ToolCallPart():
                self.calls[part.call_id] = part
                self._owners[part.call_id] = message_id
            case TextPart() | ThinkingPart():
                units = utf16_length(part.text)
                self._texts[part.part_id] = _Text(part, message_id, units, units)
                self.chars += units
            case ImagePart():
                pass

    def _pull_out(self, message: Message) -> None:
        """Take a message out of its place; those behind it move up."""
        place = self._places.pop(message.message_id)
        del self._messages[place]
        for each in self._messages[place:]:
            self._places[each.message_id] -= 1
        self.changed_from = min(self.changed_from, place)

    def _open(self, message: Message, part: TextPart | ThinkingPart) -> _Text:
        message.parts.append(part)
        self.parts += 1
        self._index_part(message.message_id, part)
        return self._texts[part.part_id]

    def _put_call(self, message: Message, call: ToolCallPart) -> None:
        self._put_whole(message, call)
        self.calls[call.call_id] = call
        self._owners[call.call_id] = message.message_id

    def _put_whole(self, message: Message, given: ToolCallPart | ImagePart) -> None:
        for place, part in enumerate(message.parts):
            if part.part_id == given.part_id:
                message.parts[place] = given
                break
        else:
            message.parts.append(given)
            self.parts += 1

    def _put_text(self, message: Message, piece: TextPart | ThinkingPart, offset: int) -> None:
        text = self._texts.get(piece.part_id)
        if text is None:
            text = self._open(message, type(piece)(piece.part_id, ""))
        self._cut(text, offset)
        self._extend(text, piece.text, utf16_length(piece.text))
        text.durable = text.units
        self._undurable.pop(piece.part_id, None)

    def _cut(self, text: _Text, offset: int) -> None:
        if offset < text.units:
            text.part.text = text.part.text[: utf16_index(text.part.text, offset)]
            self.chars -= text.units - offset
            text.units = offset

    def _extend(self, text: _Text, more: str, units: int) -> None:
        # CPython grows a string in place when nothing else holds it; `part.text += more` would
        # copy the whole text each time.
        whole = text.part.text
        text.part.text = ""
        whole += more
        text.part.text = whole
        text.units += units
        self.chars += units

    def __iter__(self) -> Iterator[Message]:
        return iter(self._messages)
