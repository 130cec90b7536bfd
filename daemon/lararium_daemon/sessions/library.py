"""The sessions of a workspace: begun, found, listed, changed and deleted.

While anybody holds a session there is exactly one object of it; the last few stay loaded so that
coming back to one is quick.
"""

import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from weakref import WeakValueDictionary

import anyio
import orjson
from anyio import to_thread

from lararium_daemon.protocol.api import SessionCreateInput, SessionPatchInput
from lararium_daemon.protocol.events import Event, SessionUpdated
from lararium_daemon.protocol.ids import MessageId, SessionId, new_session_id
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import Fold, fresh
from lararium_daemon.sessions.loading import load
from lararium_daemon.sessions.lookout import Lookout
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session, unknown_session
from lararium_daemon.sessions.snapshot import STAMP, is_due, take_snapshot
from lararium_daemon.storage.journal import Journal
from lararium_daemon.storage.search import Found, SearchIndex

logger = logging.getLogger(__name__)

KEPT = 16
"""Sessions that stay loaded though nobody holds them."""


@dataclass(slots=True, frozen=True)
class Page:
    """A page of messages, ready for orjson."""

    items: Sequence[Message | orjson.Fragment]
    next_cursor: MessageId | None
    """Of the page before; None on the first one."""


class SessionLibrary:
    """Access to every session by id, and to the list of them."""

    def __init__(self, journal: Journal, epoch: str) -> None:
        self.epoch = epoch
        self.journal = journal
        self.lookout = Lookout()
        self._loaded: WeakValueDictionary[SessionId, Session] = WeakValueDictionary()
        self._recent: OrderedDict[SessionId, Session] = OrderedDict()
        self._loading = anyio.Lock()
        self._watchers: set[Feed] = set()
        self._index = SearchIndex(journal.path.with_name("search.db"), journal.path)
        self._searching = anyio.CapacityLimiter(1)

    async def create(self, given: SessionCreateInput, events: Sequence[Event] = ()) -> Session:
        """Begin a session, with `events` in the same transaction; it is committed and listed.

        Raises:
            LarariumError: `storage_full` and its kin.
        """
        session_id = new_session_id()
        session = self._make(fresh(session_id), Row(session_id))
        begin = SessionUpdated(given.title.strip(), given.mode, given.model)
        await session.commit([begin, *events])
        self._keep(session)
        return session

    async def get(self, session_id: SessionId) -> Session:
        """Give a session, loading it when needed.

        Raises:
            LarariumError: `unknown_session`.
        """
        session = self._loaded.get(session_id)
        if session is None:
            async with self._loading:
                session = self._loaded.get(session_id) or await self._load(session_id)
        self._keep(session)
        return session

    async def summary(self, session_id: SessionId) -> SessionSummary:
        """Give a session's row.

        Raises:
            LarariumError: `unknown_session`.
        """
        session = self._loaded.get(session_id)
        found = session.summary if session else await self.journal.summary(session_id)
        return found or (await self.get(session_id)).summary

    async def message_page(
        self, session_id: SessionId, before: MessageId | None, limit: int
    ) -> Page:
        """Give the `limit` messages before one, or the last ones; a long session is not folded.

        Raises:
            LarariumError: `unknown_session`, 422 `invalid_cursor`.
        """
        if session_id not in self._loaded:
            stored = await self.journal.message_page(session_id, STAMP, before, limit)
            if stored is not None:
                return Page([orjson.Fragment(body) for body in stored.messages], stored.cursor)
        messages = (await self.get(session_id)).state.messages
        end = len(messages) if before is None else _place(messages, before)
        start = max(0, end - limit)
        return Page(messages[start:end], messages[start].message_id if start else None)

    async def search(self, words: str, limit: int) -> Sequence[Found]:
        """Give the messages that hold all the words, the best first."""
        return await to_thread.run_sync(self._index.find, words, limit, limiter=self._searching)

    async def rebuild(self) -> int:
        """Make rows, snapshots and search anew from the events; give how many sessions there are.

        Raises:
            LarariumError: `storage_full` and its kin.
        """
        await self.journal.drop_snapshots()
        await to_thread.run_sync(self._index.drop, limiter=self._searching)
        ids = await self.journal.all_ids()
        for session_id in ids:
            known = self._loaded.get(session_id)
            if known is None:
                fold, row, new_events = await self._read(session_id)
                await self.journal.put_summary(row.summary(), list(row.attention.open.values()))
                if is_due(fold, new_events):
                    self.journal.keep_snapshot(take_snapshot(fold, row))
            else:
                await self.journal.put_summary(known.summary, known.attention)
                known.fold.transcript.changed_from = 0
        return len(ids)

    async def list(
        self, *, archived: bool = False, limit: int, before: tuple[str, SessionId] | None = None
    ) -> list[SessionSummary]:
        """Give rows, newest first; `before` is (updated_at, id) of the last row one has."""
        return await self.journal.sessions(archived=archived, limit=limit, before=before)

    async def patch(self, session_id: SessionId, given: SessionPatchInput) -> Session:
        """Change what is given of a session; `model` null means the default model.

        Raises:
            LarariumError: `unknown_session`, `storage_full` and its kin.
        """
        session = await self.get(session_id)
        async with session.posting:
            state = session.state
            old = SessionUpdated(state.title, state.mode, state.model, state.archived, state.pinned)
            new = SessionUpdated(
                old.title if given.title is None else given.title.strip(),
                given.mode or old.mode,
                given.model if "model" in given.model_fields_set else old.model,
                old.archived if given.archived is None else given.archived,
                old.pinned if given.pinned is None else given.pinned,
            )
            if new != old:
                await session.commit([new])
        return session

    async def delete(self, session_id: SessionId) -> None:
        """Forget a session for good; it must not be running.

        Raises:
            LarariumError: `unknown_session`, `storage_full` and its kin.
        """
        session = await self.get(session_id)
        async with session.posting:
            await self.journal.delete(session_id)
            session.disband()
            self._recent.pop(session_id, None)
            self._loaded.pop(session_id, None)
        for feed in self._watchers:
            feed.put_removed(session_id)
        self.lookout.forget(session_id)
        self.lookout.attention.ring()

    def watch(self, feed: Feed) -> None:
        """Give a feed every row that changes from now on."""
        self._watchers.add(feed)

    def unwatch(self, feed: Feed) -> None:
        """Give a feed no more rows."""
        self._watchers.discard(feed)

    async def _load(self, session_id: SessionId) -> Session:
        fold, row, new_events = await self._read(session_id)
        session = self._make(fold, row)
        if is_due(fold, new_events):
            self.journal.keep_snapshot(take_snapshot(fold, row))
        return session

    async def _read(self, session_id: SessionId) -> tuple[Fold, Row, int]:
        """Fold a session; give it with how many events no snapshot had."""
        stored = await self.journal.snapshot(session_id, STAMP)
        if stored is not None:
            rest = await self.journal.read(session_id, stored.seq)
            try:
                return *await to_thread.run_sync(load, session_id, rest, stored), len(rest)
            except ValueError:
                logger.exception("The snapshot of session %s cannot be read", session_id)
        entries = await self.journal.read(session_id)
        if not entries:
            raise unknown_session()
        return *await to_thread.run_sync(load, session_id, entries), len(entries)

    def _make(self, fold: Fold, row: Row) -> Session:
        session = Session(
            fold,
            row,
            self.journal,
            self.epoch,
            on_row=self._show_row,
            on_attention=self.lookout.attention.ring,
        )
        self._loaded[session.id] = session
        return session

    def _keep(self, session: Session) -> None:
        self._recent[session.id] = session
        self._recent.move_to_end(session.id)
        if len(self._recent) > KEPT:
            self._recent.popitem(last=False)

    def _show_row(self, summary: SessionSummary) -> None:
        self.lookout.note(summary)
        for feed in self._watchers:
            feed.put_row(summary)


def _place(messages: Sequence[Message], message_id: MessageId) -> int:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].message_id == message_id:
            return place
    raise LarariumError("invalid_cursor", "This cursor is none that the session gave.", 422)
