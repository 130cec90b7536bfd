"""What one client still has to be sent: bounded, merged, in order.

Putting never waits, so no client slows a run. Volatile events of one part join while they wait, as
long as no durable event or heartbeat of the session came between. A client that falls too far
behind loses its queue and is told to subscribe again.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import anyio
import orjson

from lararium_daemon.protocol.attention import AttentionItem, AttentionPage
from lararium_daemon.protocol.events import Envelope, PartDelta, VolatileEvent
from lararium_daemon.protocol.ids import PartId, SessionId
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.protocol.text import utf16_length
from lararium_daemon.protocol.wire import encode_envelope

MAX_ITEMS = 1_000
MAX_BYTES = 8 * 1024 * 1024


@dataclass(slots=True, frozen=True)
class Outgoing:
    """One thing to send."""

    kind: Literal["event", "message", "resync"]
    """`event`: an envelope's JSON; else a whole message of the WebSocket."""
    data: bytes


class _Volatile:
    """A volatile event that may still grow while it waits."""

    __slots__ = ("at", "event", "pieces", "seq", "session_id", "units")

    def __init__(self, session_id: SessionId, seq: int, at: str, event: VolatileEvent) -> None:
        self.session_id = session_id
        self.seq = seq
        self.at = at
        self.event = event
        self.pieces = [event.text] if isinstance(event, PartDelta) else []
        self.units = utf16_length(event.text) if isinstance(event, PartDelta) else 0

    def join(self, event: VolatileEvent) -> bool:
        """Take a later event in; False when it does not go on where this one ends."""
        if not isinstance(event, PartDelta):
            self.event = event
            return True
        if not isinstance(self.event, PartDelta) or event.offset != self.event.offset + self.units:
            return False
        self.pieces.append(event.text)
        self.units += utf16_length(event.text)
        return True

    def encode(self, epoch: str) -> bytes:
        """Write the one event that says what all joined ones said."""
        event = self.event
        if isinstance(event, PartDelta) and len(self.pieces) > 1:
            text = "".join(self.pieces)
            event = PartDelta(event.message_id, event.part_id, event.kind, event.offset, text)
        return encode_envelope(Envelope(self.session_id, self.seq, epoch, self.at, event))


class Feed:
    """The queue of one client, for any number of sessions; used from the event loop alone."""

    def __init__(
        self, epoch: str, *, max_items: int = MAX_ITEMS, max_bytes: int = MAX_BYTES
    ) -> None:
        self.sessions: set[SessionId] = set()
        """The sessions it follows; a session that is not in here puts nothing."""
        self._epoch = epoch
        self._items: deque[Outgoing | _Volatile] = deque()
        self._growing: dict[SessionId, dict[PartId, _Volatile]] = {}
        self._rows: dict[SessionId, bytes] = {}
        self._attention: dict[str, AttentionItem] = {}
        self._attention_upto: int | None = None
        self._activity: bytes | None = None
        self._bytes = 0
        self._max_items = max_items
        self._max_bytes = max_bytes
        self._filled = anyio.Event()
        self._urgent = anyio.Event()

    def put(self, session_id: SessionId, envelope: bytes) -> None:
        """Queue a durable event, an envelope's JSON."""
        if session_id not in self.sessions:
            return
        self._growing.pop(session_id, None)
        self._add(Outgoing("event", envelope), len(envelope))
        self._urgent.set()

    def put_volatile(self, session_id: SessionId, seq: int, at: str, event: VolatileEvent) -> None:
        """Queue a volatile event, or join it to one that waits."""
        if session_id not in self.sessions:
            return
        growing = self._growing.get(session_id)
        if growing is None:
            growing = self._growing[session_id] = {}
        waiting = growing.get(event.part_id)
        if waiting is not None and waiting.join(event):
            self._bytes += len(event.text) if isinstance(event, PartDelta) else 0
            self._check()
            return
        growing[event.part_id] = item = _Volatile(session_id, seq, at, event)
        self._add(item, len(event.text if isinstance(event, PartDelta) else event.tail))

    def put_message(self, message: bytes, *, counted: bool = True) -> None:
        """Queue a message that later volatile events must not overtake or join across.

        `counted=False` is for an answer the client asked for, which may be of any size.
        """
        self._growing.clear()
        self._add(Outgoing("message", message), len(message) if counted else 0)
        self._urgent.set()

    def put_row(self, summary: SessionSummary) -> None:
        """Queue a row of the list; only its newest state is sent."""
        self._rows[summary.id] = orjson.dumps({"type": "session", "session": summary})
        self._filled.set()

    def put_removed(self, session_id: SessionId) -> None:
        """Queue that a row is gone."""
        message = {"type": "session_removed", "session_id": session_id}
        self._rows[session_id] = orjson.dumps(message)
        self._filled.set()

    def put_attention(self, page: AttentionPage) -> None:
        """Queue items; of one that changes again only its newest form is sent. None is lost."""
        for item in page.items:
            self._attention.pop(item.id, None)
            self._attention[item.id] = item
        self._attention_upto = page.next_seq
        self._filled.set()

    def put_activity(self, sessions: Sequence[SessionSummary]) -> None:
        """Queue which sessions are not idle; only the newest word is sent."""
        self._activity = orjson.dumps({"type": "activity", "sessions": sessions})
        self._filled.set()

    def lose(self, session_id: SessionId) -> None:
        """Stop following a session and tell the client to subscribe again."""
        self.sessions.discard(session_id)
        self._growing.pop(session_id, None)
        message = orjson.dumps({"type": "resync", "session_id": session_id})
        self._items.append(Outgoing("resync", message))
        self._filled.set()
        self._urgent.set()

    async def filled(self) -> None:
        """Wait, without limit, until there is something to take."""
        await self._filled.wait()

    async def urgent(self) -> None:
        """Wait, without limit, for more than volatile events."""
        await self._urgent.wait()

    def take(self) -> list[Outgoing]:
        """Take everything that waits, in order."""
        items = [
            Outgoing("event", item.encode(self._epoch)) if isinstance(item, _Volatile) else item
            for item in self._items
        ]
        items += [Outgoing("message", row) for row in (*self._rows.values(), *self._told())]
        self._clear()
        self._rows.clear()
        self._filled = anyio.Event()
        self._urgent = anyio.Event()
        return items

    def _told(self) -> list[bytes]:
        """Take what waits of the topic `attention`."""
        told = [] if self._activity is None else [self._activity]
        if self._attention_upto is not None:
            head = {"type": "attention", "items": list(self._attention.values())}
            told.append(orjson.dumps(head | {"next_seq": self._attention_upto}))
        self._activity = self._attention_upto = None
        self._attention.clear()
        return told

    def _add(self, item: Outgoing | _Volatile, size: int) -> None:
        self._items.append(item)
        self._bytes += size
        self._filled.set()
        self._check()

    def _check(self) -> None:
        if self._bytes <= self._max_bytes and len(self._items) <= self._max_items:
            return
        resyncs = [each for each in self._items if _is_resync(each)]
        self._clear()
        self._items.extend(resyncs)
        for session_id in list(self.sessions):
            self.lose(session_id)

    def _clear(self) -> None:
        self._items.clear()
        self._growing.clear()
        self._bytes = 0


def _is_resync(item: Outgoing | _Volatile) -> bool:
    return isinstance(item, Outgoing) and item.kind == "resync"
