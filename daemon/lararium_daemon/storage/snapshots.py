"""The tables of folded sessions: SQL on a connection that somebody else owns.

A snapshot is worth nothing by itself: when it is missing, old or unreadable, the events say it all
again. Messages lie one by one, so that a page of a long session is read without the rest, and so
that a new snapshot writes only those that have changed.
"""

import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from lararium_daemon.protocol.ids import MessageId, SessionId

_PUT = "INSERT OR REPLACE INTO snapshot (session_id, seq, stamp, head) VALUES (?, ?, ?, ?)"
_PUT_MESSAGE = "INSERT INTO message (session_id, place, message_id, body) VALUES (?, ?, ?, ?)"
_CUT = "DELETE FROM message WHERE session_id = ? AND place >= ?"
_SIZE = "SELECT COALESCE(MAX(place) + 1, 0) FROM message WHERE session_id = ?"
_GET = "SELECT seq, head FROM snapshot WHERE session_id = ? AND stamp = ?"
_BODIES = "SELECT body FROM message WHERE session_id = ? ORDER BY place"
_LAST_SEQ = "SELECT MAX(seq) FROM event WHERE session_id = ?"
_PLACE = "SELECT MAX(place) FROM message WHERE session_id = ? AND message_id = ?"
_PAGE = """
    SELECT message_id, body FROM message
    WHERE session_id = ? AND place >= ? AND place < ? ORDER BY place
"""


@dataclass(slots=True, frozen=True)
class Snapshot:
    """What is to be kept of a session."""

    session_id: SessionId
    seq: int
    stamp: str
    """Of the code that folded it: other code folds anew."""
    head: bytes
    """Everything but the messages, JSON."""
    first_place: int
    """The messages before this one have not changed since the snapshot before."""
    messages: Sequence[tuple[MessageId, bytes]]
    """Those from `first_place` on: id and JSON."""


@dataclass(slots=True, frozen=True)
class StoredSnapshot:
    """What was kept."""

    seq: int
    head: bytes
    messages: Sequence[bytes]
    """JSON, all of them, in order."""


@dataclass(slots=True, frozen=True)
class StoredPage:
    """A page of messages; `cursor` is the id of its first one, None on the last page."""

    messages: Sequence[bytes]
    cursor: MessageId | None


def put_snapshot(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Write what has changed; when earlier messages are missing there, keep none instead."""
    session_id = snapshot.session_id
    if connection.execute(_SIZE, (session_id,)).fetchone()[0] < snapshot.first_place:
        forget_snapshot(connection, session_id)
        return
    connection.execute(_CUT, (session_id, snapshot.first_place))
    rows = [
        (session_id, place, message_id, body)
        for place, (message_id, body) in enumerate(snapshot.messages, snapshot.first_place)
    ]
    connection.executemany(_PUT_MESSAGE, rows)
    connection.execute(_PUT, (session_id, snapshot.seq, snapshot.stamp, snapshot.head))


def forget_snapshot(connection: sqlite3.Connection, session_id: SessionId) -> None:
    """Keep nothing of a session."""
    connection.execute("DELETE FROM snapshot WHERE session_id = ?", (session_id,))
    connection.execute(_CUT, (session_id, 0))


def read_snapshot(
    connection: sqlite3.Connection, session_id: SessionId, stamp: str
) -> StoredSnapshot | None:
    """Give what was kept; None when there is nothing that this code has folded."""
    with _one_moment(connection):
        found = connection.execute(_GET, (session_id, stamp)).fetchone()
        if found is None:
            return None
        bodies = [row[0] for row in connection.execute(_BODIES, (session_id,))]
    return StoredSnapshot(found[0], found[1], bodies)


def read_page(
    connection: sqlite3.Connection,
    session_id: SessionId,
    stamp: str,
    before: MessageId | None,
    limit: int,
) -> StoredPage | None:
    """Give the `limit` messages before one, or the last ones.

    None when no snapshot holds all that the events say, or there is no such message.
    """
    with _one_moment(connection):
        kept = connection.execute(_GET, (session_id, stamp)).fetchone()
        last = connection.execute(_LAST_SEQ, (session_id,)).fetchone()[0]
        if kept is None or kept[0] != last:
            return None
        if before is None:
            end = connection.execute(_SIZE, (session_id,)).fetchone()[0]
        else:
            end = connection.execute(_PLACE, (session_id, before)).fetchone()[0]
        if end is None:
            return None
        start = max(0, end - limit)
        rows = connection.execute(_PAGE, (session_id, start, end)).fetchall()
    return StoredPage([row[1] for row in rows], MessageId(rows[0][0]) if start else None)


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Generator[None]:
    """Let several statements see the same state, whatever is written meanwhile."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")
