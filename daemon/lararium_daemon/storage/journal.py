"""The journal of a workspace: every durable event of every session, append-only, the truth.

Acknowledged means committed: `append` returns when the disk has it. Rows of the session list are
folds of the events, written in the same transaction. Reading goes on beside the writer.
"""

import logging
import sqlite3
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import anyio
import orjson
from anyio import to_thread
from pydantic import TypeAdapter

from lararium_daemon.protocol.attention import AttentionItem, AttentionPage
from lararium_daemon.protocol.ids import MessageId, SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.storage import attention as attention_table
from lararium_daemon.storage import snapshots as snapshot_tables
from lararium_daemon.storage.asks import AskRow, read_asks
from lararium_daemon.storage.database import connect, create_private, is_damaged, migrate, set_aside
from lararium_daemon.storage.reserve import Reserve
from lararium_daemon.storage.salvage import rescue_events, salvage
from lararium_daemon.storage.snapshots import Snapshot, StoredPage, StoredSnapshot
from lararium_daemon.storage.spend import read_spend
from lararium_daemon.storage.writer import Writer
from lararium_daemon.system.clock import now_rfc3339

logger = logging.getLogger(__name__)

Result = TypeVar("Result")

READERS = 2
RESERVE = "reserve"
_SUMMARY: TypeAdapter[SessionSummary] = TypeAdapter(SessionSummary)

_ADD_EVENT = "INSERT INTO event (session_id, seq, at, type, payload) VALUES (?, ?, ?, ?, ?)"
_PUT_SESSION = """
    INSERT INTO session (id, created_at, updated_at, archived, activity, summary)
    VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET
        updated_at = excluded.updated_at, archived = excluded.archived,
        activity = excluded.activity, summary = excluded.summary
"""
_EVENTS = (
    "SELECT seq, at, type, payload FROM event WHERE session_id = ? AND seq > ? ORDER BY seq LIMIT ?"
)
_PAGE = """
    SELECT summary FROM session
    WHERE archived = :archived
        AND (:updated_at = '' OR (updated_at, id) < (:updated_at, :id))
    ORDER BY updated_at DESC, id DESC LIMIT :limit
"""
_CHILDREN = """
    SELECT id FROM session WHERE json_extract(CAST(summary AS TEXT), '$.parent_id') = ?
"""


@dataclass(slots=True, frozen=True)
class Entry:
    """A durable event as it lies on the disk."""

    seq: int
    at: str
    type: str
    payload: bytes
    """JSON."""


@dataclass(slots=True, frozen=True)
class Batch:
    """What one commit adds to one session; `seq` goes on without a hole."""

    session_id: SessionId
    entries: Sequence[Entry]
    summary: SessionSummary | None = None
    """The session's row, when these events changed it."""
    attention: Sequence[AttentionItem] = ()
    """What these events made of what waits for the person."""
    is_last_word: bool = False
    """It says how a run ends: it may use the room that is kept for a full disk."""


class Journal:
    """Access to the events and the session list."""

    def __init__(self, path: Path, notices: Sequence[str] = ()) -> None:
        """Start the writer; made by `open_journal`, inside the event loop."""
        self.notices = list(notices)
        """What was found broken and set aside, for the person."""
        self._path = path
        self.reserve = Reserve(path.with_name(RESERVE))
        self._writer = Writer(path, self.reserve)
        self._limit = anyio.CapacityLimiter(READERS)
        self._readers: deque[sqlite3.Connection] = deque()

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    async def append(self, batch: Batch) -> None:
        """Commit a batch.

        Cancelling the wait does not undo the commit: the owner of the session shields it.

        Raises:
            LarariumError: `storage_full` and its kin; nothing of the batch was kept then.
        """
        rows = [(batch.session_id, e.seq, e.at, e.type, e.payload) for e in batch.entries]
        row = None if batch.summary is None else _session_row(batch.summary)

        def write(connection: sqlite3.Connection) -> None:
            connection.executemany(_ADD_EVENT, rows)
            if row is not None:
                connection.execute(_PUT_SESSION, row)
            attention_table.put_items(connection, batch.attention)

        await self._writer.submit(write, is_last_word=batch.is_last_word)

    async def put_summary(
        self, summary: SessionSummary, attention: Sequence[AttentionItem] = ()
    ) -> None:
        """Write a row and open items anew that were lost; they are folds of the events.

        Raises:
            LarariumError: as `append`.
        """
        row = _session_row(summary)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(_PUT_SESSION, row)
            attention_table.put_lost(connection, attention)

        await self._writer.submit(write)

    async def delete(self, session_id: SessionId) -> None:
        """Forget a session.

        Raises:
            LarariumError: as `append`.
        """

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM event WHERE session_id = ?", (session_id,))
            connection.execute("DELETE FROM session WHERE id = ?", (session_id,))
            attention_table.forget_session(connection, session_id, now_rfc3339())
            snapshot_tables.forget_snapshot(connection, session_id)

        await self._writer.submit(write)

    def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a folded session some time soon; nothing is lost when that fails."""
        self._writer.submit_later(lambda db: snapshot_tables.put_snapshot(db, snapshot))

    async def drop_snapshots(self) -> None:
        """Forget every folded session.

        Raises:
            LarariumError: as `append`.
        """

        def write(connection: sqlite3.Connection) -> None:
            connection.execute("DELETE FROM snapshot")
            connection.execute("DELETE FROM message")

        await self._writer.submit(write)

    async def snapshot(self, session_id: SessionId, stamp: str) -> StoredSnapshot | None:
        """Give the session as folded last by code of this stamp; None when there is none."""

        def query(reader: sqlite3.Connection) -> StoredSnapshot | None:
            return snapshot_tables.read_snapshot(reader, session_id, stamp)

        return await self._tried(query)

    async def message_page(
        self, session_id: SessionId, stamp: str, before: MessageId | None, limit: int
    ) -> StoredPage | None:
        """Give messages before one, or the last; None when they have to be folded first."""

        def query(reader: sqlite3.Connection) -> StoredPage | None:
            return snapshot_tables.read_page(reader, session_id, stamp, before, limit)

        return await self._tried(query)

    async def summary(self, session_id: SessionId) -> SessionSummary | None:
        """Give a session's row; None when it is missing or cannot be read."""

        def query(reader: sqlite3.Connection) -> SessionSummary | None:
            rows = reader.execute("SELECT summary FROM session WHERE id = ?", (session_id,))
            return next(_summaries(row[0] for row in rows), None)

        return await self._tried(query)

    async def children(self, session_id: SessionId) -> list[SessionId]:
        """Give the sessions of a session's subagents."""

        def query(reader: sqlite3.Connection) -> list[SessionId]:
            return [SessionId(row[0]) for row in reader.execute(_CHILDREN, (session_id,))]

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def attention(self, after: int, limit: int) -> AttentionPage:
        """Give what waits for the person and what ended, new or changed after a place."""

        def query(reader: sqlite3.Connection) -> AttentionPage:
            return attention_table.read_page(reader, after, limit)

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def asks(self, limit: int) -> list[AskRow]:
        """Give what the person was asked over all sessions, newest first."""

        def query(reader: sqlite3.Connection) -> list[AskRow]:
            return read_asks(reader, limit)

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def spend(self, since: str) -> tuple[float, float | None]:
        """Give the US dollars spent since a time, and the day's cap raised since then."""

        def query(reader: sqlite3.Connection) -> tuple[float, float | None]:
            return read_spend(reader, since)

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def read(
        self, session_id: SessionId, after_seq: int = 0, limit: int | None = None
    ) -> list[Entry]:
        """Give a session's events after `after_seq` in order; `limit` None means all."""

        def query(reader: sqlite3.Connection) -> list[Entry]:
            values = (session_id, after_seq, -1 if limit is None else limit)
            try:
                return [Entry(*row) for row in reader.execute(_EVENTS, values)]
            except sqlite3.DatabaseError:
                logger.exception("Session %s lies on a damaged page", session_id)
                found = rescue_events(reader, session_id, after_seq)
                return [Entry(*row) for row in found[:limit]]

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def sessions(
        self,
        *,
        archived: bool = False,
        limit: int = -1,
        before: tuple[str, SessionId] | None = None,
    ) -> list[SessionSummary]:
        """Give rows of the list, newest first; `before` is (updated_at, id) of the last one had."""
        updated_at, session_id = before or ("", "")
        values = {"archived": archived, "updated_at": updated_at, "id": session_id, "limit": limit}

        def query(reader: sqlite3.Connection) -> list[SessionSummary]:
            return list(_summaries(row[0] for row in reader.execute(_PAGE, values)))

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def session_count(self) -> int:
        """Count the sessions, archived ones too."""
        found = await self._ids("SELECT COUNT(*) FROM session")
        return int(str(found[0]))

    async def all_ids(self) -> list[SessionId]:
        """Give every session that has events."""
        found = await self._ids("SELECT DISTINCT session_id FROM event ORDER BY session_id")
        return [SessionId(str(each)) for each in found]

    async def unsettled(self) -> list[SessionId]:
        """Give the sessions that were not idle at their last commit, or whose row is missing."""
        busy = await self._ids(
            "SELECT id FROM session WHERE activity <> 'idle' ORDER BY updated_at"
        )
        rowless = await self._ids(
            "SELECT DISTINCT session_id FROM event "
            "WHERE session_id NOT IN (SELECT id FROM session) ORDER BY session_id"
        )
        return [SessionId(str(each)) for each in (*busy, *rowless)]

    async def _ids(self, sql: str) -> list[object]:
        def query(reader: sqlite3.Connection) -> list[object]:
            return [row[0] for row in reader.execute(sql)]

        return await to_thread.run_sync(self._read, query, limiter=self._limit)

    async def _tried(self, query: Callable[[sqlite3.Connection], Result | None]) -> Result | None:
        """Read what the events can say too: on a damaged page there is nothing."""
        try:
            return await to_thread.run_sync(self._read, query, limiter=self._limit)
        except sqlite3.DatabaseError:
            logger.exception("A page with what was folded before is damaged")
            return None

    def close(self) -> None:
        """Commit what waits and close every connection; blocks, at most some seconds."""
        self._writer.close()
        while self._readers:
            self._readers.pop().close()

    def _read(self, query: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._reader() as reader:
            return query(reader)

    @contextmanager
    def _reader(self) -> Generator[sqlite3.Connection]:
        try:
            reader = self._readers.pop()
        except IndexError:
            reader = connect(self._path, read_only=True)
        try:
            yield reader
        finally:
            self._readers.append(reader)


@asynccontextmanager
async def open_journal(
    path: Path, make: Callable[[Path, Sequence[str]], Journal] | None = None
) -> AsyncGenerator[Journal]:
    """Open the journal at `path`, made when missing, and close it at the end.

    A damaged file is set aside, what reads of it is kept, and `notices` says so. `make` gives
    another journal than the plain one.

    Raises:
        LarariumError: `database_newer`, `journal_unavailable`.
    """
    try:
        notices = await to_thread.run_sync(_prepare, path)
        journal = (make or Journal)(path, notices)
    except (sqlite3.Error, OSError) as error:
        detail = (
            f"The project's journal {path} cannot be opened ({error}). Nothing was changed; mend "
            "that and open the project again."
        )
        raise LarariumError("journal_unavailable", detail, 500) from error
    try:
        yield journal
    finally:
        with anyio.CancelScope(shield=True):  # the writer's end is bounded by itself
            await to_thread.run_sync(journal.close)


def _prepare(path: Path) -> list[str]:
    """Leave a sound file of this version at `path`; give what the person should know."""
    bad: Path | None = None
    if path.exists() and is_damaged(path):
        bad = set_aside(path)
        logger.error("The journal was damaged and set aside as %s", bad.name)
    create_private(path)
    connection = connect(path)
    try:
        migrate(connection, path)
        if bad is None:
            return []
        kept = salvage(bad, connection)
    finally:
        connection.close()
    return [
        f"The journal of this project was damaged. It was set aside as {bad.name}; {kept} events "
        "could be read from it and were kept."
    ]


def _session_row(summary: SessionSummary) -> tuple[object, ...]:
    return (
        summary.id,
        summary.created_at,
        summary.updated_at,
        summary.archived,
        summary.activity,
        orjson.dumps(summary),
    )


def _summaries(rows: Iterator[bytes]) -> Iterator[SessionSummary]:
    for row in rows:
        try:
            yield _SUMMARY.validate_json(row)
        except ValueError:
            logger.warning("A row of the session list could not be read and is left out")
