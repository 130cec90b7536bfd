"""One session: the owner of its state, and the only way to change it.

`commit` writes durable events to the journal, then folds and shows them; `emit` shows volatile
ones. Everybody sees the same events in the same order, and nothing is shown before it is committed.
"""

from collections import deque
from collections.abc import Callable, Sequence

import anyio
import orjson

from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.events import Event, RunEnded, VolatileEvent
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionState, SessionSummary
from lararium_daemon.protocol.wire import encode_payload
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import Fold
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.snapshot import is_due, take_snapshot
from lararium_daemon.storage.journal import Batch, Entry, Journal
from lararium_daemon.system.clock import now_rfc3339

RING_EVENTS = 2_048
RING_BYTES = 4 * 1024 * 1024


def unknown_session() -> LarariumError:
    """Give the error for a session that is not there."""
    return LarariumError(
        "unknown_session",
        "There is no such session in this project; it may have been deleted.",
        404,
    )


class Ring:
    """The last durable envelopes, for clients that come back; the journal has them all."""

    def __init__(self, last_seq: int) -> None:
        self._envelopes: deque[bytes] = deque()
        self._bytes = 0
        self._last_seq = last_seq

    def add(self, envelope: bytes) -> None:
        """Keep the next envelope; the oldest leave when there is no room."""
        self._envelopes.append(envelope)
        self._bytes += len(envelope)
        self._last_seq += 1
        while len(self._envelopes) > RING_EVENTS or self._bytes > RING_BYTES:
            self._bytes -= len(self._envelopes.popleft())

    def after(self, seq: int) -> list[bytes] | None:
        """Give the envelopes after `seq`; None when some of them have left or never were."""
        missing = self._last_seq - seq
        if missing < 0 or missing > len(self._envelopes):
            return None
        return list(self._envelopes)[len(self._envelopes) - missing :]


class Session:
    """Owner of one session's state; made and kept by the manager, one a session."""

    def __init__(
        self,
        fold: Fold,
        row: Row,
        journal: Journal,
        epoch: str,
        *,
        on_row: Callable[[SessionSummary], None] = lambda _: None,
        on_attention: Callable[[], None] = lambda: None,
        now: Callable[[], str] = now_rfc3339,
    ) -> None:
        self.id: SessionId = fold.state.session_id
        self.fold = fold
        self.epoch = epoch
        self.posting = anyio.Lock()
        """Held by the manager while it decides on a message of the person."""
        self._journal = journal
        self._on_row = on_row
        self._on_attention = on_attention
        self._now = now
        self._row = row
        self._summary = row.summary()
        self._ring = Ring(fold.state.seq)
        self._unkept = 0
        """Events since the session was last written down, or since it was loaded."""
        self._feeds: set[Feed] = set()
        self._lock = anyio.Lock(fast_acquire=True)
        self._commits = 0
        self._held_back: list[VolatileEvent] = []
        self._is_gone = False

    @property
    def state(self) -> SessionState:
        """The session as folded so far; read only."""
        return self.fold.state

    @property
    def summary(self) -> SessionSummary:
        """The session's row in the list."""
        return self._summary

    @property
    def attention(self) -> list[AttentionItem]:
        """What of the session waits for the person or has ended and was not looked at."""
        return list(self._row.attention.open.values())

    @property
    def is_gone(self) -> bool:
        """Whether the session was deleted."""
        return self._is_gone

    async def history(self, after_seq: int, limit: int) -> list[bytes]:
        """Give the envelopes after `after_seq` from the journal, at most `limit`."""
        entries = await self._journal.read(self.id, after_seq, limit)
        return [self._envelope(entry) for entry in entries]

    async def commit(self, events: Sequence[Event]) -> int:
        """Commit durable events in one transaction, then show them; give the last seq.

        Once begun it is not cancelled: a cancellation arrives at the caller's next wait.

        Raises:
            LarariumError: `storage_full` and its kin, `unknown_session` once it was deleted;
                nothing was kept or shown then.
        """
        await self.commit_if(lambda: True, events)
        return self.state.seq

    async def commit_if(self, holds: Callable[[], bool], events: Sequence[Event]) -> bool:
        """Commit as `commit` does if `holds` when nothing can come between; give whether it did.

        Raises:
            LarariumError: as `commit`.
        """
        if not events:
            return holds()
        if self._is_gone:
            raise unknown_session()
        self._commits += 1
        try:
            async with self._lock:
                if not holds():
                    return False
                with anyio.CancelScope(shield=True):  # bounded by the journal
                    await self._commit(events)
        finally:
            self._commits -= 1
            if self._commits == 0 and self._held_back:
                self._release()
        return True

    def emit(self, event: VolatileEvent) -> None:
        """Show a volatile event; never waits.

        While a commit is on its way it is held back, so that it comes after what was said before.

        Raises:
            ValueError: text before a delta is missing.
        """
        if self._commits:
            self._held_back.append(event)
        else:
            self._show(event)

    def follow(self, feed: Feed, after_seq: int = 0, epoch: str = "") -> None:
        """Give a feed what it misses (replay or snapshot) and from then on everything.

        One step, so there is no hole and no event twice. A client whose text may end where no
        durable event does gets a snapshot: it could not tell what it has of it.
        """
        missed = self._ring.after(after_seq) if epoch == self.epoch else None
        feed.sessions.add(self.id)
        self._feeds.add(feed)
        if missed is None or self.fold.transcript.undurable():
            feed.put_message(self._snapshot(), counted=False)
            return
        if missed:
            head = orjson.dumps({"type": "replay", "session_id": self.id})[:-1]
            feed.put_message(head + b',"events":[' + b",".join(missed) + b"]}", counted=False)
        self._put_present(feed)

    def follow_live(self, feed: Feed) -> int:
        """Give a feed what is volatile now and everything after the seq that is returned."""
        feed.sessions.add(self.id)
        self._feeds.add(feed)
        self._put_present(feed)
        return self.state.seq

    def unfollow(self, feed: Feed) -> None:
        """Give a feed nothing more."""
        feed.sessions.discard(self.id)
        self._feeds.discard(feed)

    def disband(self) -> None:
        """Take no more events and tell every client: the session was deleted."""
        self._is_gone = True
        for feed in self._feeds:
            feed.lose(self.id)
        self._feeds.clear()

    async def _commit(self, events: Sequence[Event]) -> None:
        at = self._now()
        first = self.state.seq + 1
        entries = [
            Entry(seq, at, event.type, encode_payload(event))
            for seq, event in enumerate(events, first)
        ]
        row = self._row.copy()
        for event in events:
            row.apply(event, at)
        summary = row.summary()
        changed = summary if summary != self._summary else None
        attention = list(row.attention.changed.values())
        is_last_word = any(isinstance(event, RunEnded) for event in events)
        await self._journal.append(Batch(self.id, entries, changed, attention, is_last_word))
        self._row, self._summary = row, summary
        for event, entry in zip(events, entries, strict=True):
            self.fold.apply_durable(event, entry.seq, at)
            self._publish(entry)
        if changed is not None:
            self._on_row(changed)
        if attention:
            self._on_attention()
        self._unkept += len(events)
        if is_due(self.fold, self._unkept):
            self._journal.keep_snapshot(take_snapshot(self.fold, self._row))
            self._unkept = 0

    def _envelope(self, entry: Entry) -> bytes:
        head = {"session_id": self.id, "seq": entry.seq, "epoch": self.epoch}
        tail = {"type": entry.type, "at": entry.at, "payload": orjson.Fragment(entry.payload)}
        return orjson.dumps(head | tail)

    def _publish(self, entry: Entry) -> None:
        envelope = self._envelope(entry)
        self._ring.add(envelope)
        for feed in self._followers():
            feed.put(self.id, envelope)

    def _show(self, event: VolatileEvent) -> None:
        if not self.fold.apply_volatile(event):
            raise ValueError(f"text is missing before {event}")
        if self._feeds:
            at = self._now()
            for feed in self._followers():
                feed.put_volatile(self.id, self.state.seq, at, event)

    def _release(self) -> None:
        held_back, self._held_back = self._held_back, []
        for event in held_back:
            self._show(event)

    def _followers(self) -> list[Feed]:
        # A feed that fell too far behind has stopped following by itself.
        if lost := [feed for feed in self._feeds if self.id not in feed.sessions]:
            self._feeds.difference_update(lost)
        return list(self._feeds)

    def _put_present(self, feed: Feed) -> None:
        """Queue what volatile events said and no durable one has said yet."""
        for event in (*self.fold.transcript.undurable(), *self.fold.progress.values()):
            feed.put_volatile(self.id, self.state.seq, self._now(), event)

    def _snapshot(self) -> bytes:
        return orjson.dumps({
            "type": "snapshot",
            "session_id": self.id,
            "seq": self.state.seq,
            "epoch": self.epoch,
            "state": self.state,
        })
