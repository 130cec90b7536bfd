"""Full-text search over all sessions: an index beside the journal that may be deleted at any time.

It follows the journal by the position of its events, so catching up reads only what is new. It is
bounded: beyond `MAX_BYTES` the oldest texts leave. An index that is damaged is made anew.
"""

import logging
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from lararium_daemon.protocol.ids import MessageId, SessionId
from lararium_daemon.storage.database import connect, create_private

logger = logging.getLogger(__name__)

VERSION = 1
MAX_BYTES = 256 * 1024 * 1024
BATCH = 2_000
MARKS = ("\u2068", "\u2069")
"""Around what was found in a snippet: invisible, and in no text that was indexed."""
_SCHEMA = """
    CREATE VIRTUAL TABLE text USING fts5 (
        body, session_id UNINDEXED, message_id UNINDEXED, at UNINDEXED,
        tokenize = "unicode61 remove_diacritics 2"
    );
    CREATE TABLE place (position INTEGER NOT NULL);
    INSERT INTO place VALUES (0);
"""
_NEW = """
    SELECT position, session_id, at, type, payload FROM event
    WHERE position > ? AND type IN ('message.appended', 'part.appended')
    ORDER BY position LIMIT ?
"""
_FIND = """
    SELECT session_id, message_id, at, snippet(text, 0, ?, ?, '…', 24)
    FROM text WHERE text MATCH ? ORDER BY rank LIMIT ?
"""


@dataclass(slots=True, frozen=True)
class Found:
    """A message in which something was found."""

    session_id: SessionId
    message_id: MessageId
    at: str
    snippet: str


class SearchIndex:
    """The index of one journal; its calls block, so make them in a thread, one at a time."""

    def __init__(self, path: Path, journal: Path) -> None:
        self._path = path
        self._journal = journal

    def find(self, words: str, limit: int) -> list[Found]:
        """Catch up, then give the messages that hold all the words, the best first."""
        query = _query(words)
        if not query:
            return []
        try:
            return self._find(query, limit)
        except sqlite3.DatabaseError:
            logger.exception("The search index cannot be used and is made anew")
            self.drop()
            return self._find(query, limit)

    def drop(self) -> None:
        """Forget the index; the next search makes it anew."""
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _find(self, query: str, limit: int) -> list[Found]:
        index = _open(self._path)
        try:
            self._catch_up(index)
            rows = index.execute(_FIND, (*MARKS, query, limit)).fetchall()
        finally:
            index.close()
        return [Found(*row) for row in rows]

    def _catch_up(self, index: sqlite3.Connection) -> None:
        journal = connect(self._journal, read_only=True)
        try:
            gone = _gone(index, journal)
            index.executemany("DELETE FROM text WHERE session_id = ?", [(each,) for each in gone])
            while True:
                position = index.execute("SELECT position FROM place").fetchone()[0]
                rows = journal.execute(_NEW, (position, BATCH)).fetchall()
                if not rows:
                    return
                _add(index, rows)
        finally:
            journal.close()


def _open(path: Path) -> sqlite3.Connection:
    create_private(path)
    index = connect(path)
    index.execute("PRAGMA synchronous = NORMAL")  # what a crash undoes is indexed again
    if index.execute("PRAGMA user_version").fetchone()[0] != VERSION:
        index.execute("DROP TABLE IF EXISTS text")
        index.execute("DROP TABLE IF EXISTS place")
        index.executescript(_SCHEMA)
        index.execute(f"PRAGMA user_version = {VERSION}")
    return index


def _add(index: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    index.execute("BEGIN IMMEDIATE")
    for _, session_id, at, kind, payload in rows:
        for message_id, body in _texts(kind, payload):
            index.execute(
                "INSERT INTO text (body, session_id, message_id, at) VALUES (?, ?, ?, ?)",
                (body, session_id, message_id, at),
            )
    index.execute("UPDATE place SET position = ?", (rows[-1][0],))
    _prune(index)
    index.execute("COMMIT")


def _prune(index: sqlite3.Connection) -> None:
    pages, free, size = (
        index.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("page_count", "freelist_count", "page_size")
    )
    if (pages - free) * size > MAX_BYTES:
        index.execute(
            "DELETE FROM text WHERE rowid <= (SELECT MIN(rowid) + COUNT(*) / 10 FROM text)"
        )


def _gone(index: sqlite3.Connection, journal: sqlite3.Connection) -> list[str]:
    known = {row[0] for row in index.execute("SELECT DISTINCT session_id FROM text")}
    there = {row[0] for row in journal.execute("SELECT DISTINCT session_id FROM event")}
    return sorted(known - there)


def _texts(kind: str, payload: bytes) -> Iterator[tuple[str, str]]:
    """Give message id and text of what an event says; one that cannot be read says nothing."""
    try:
        event: dict[str, Any] = orjson.loads(payload)
        if kind == "message.appended":
            message = event["message"]
            parts, message_id = message["parts"], message["message_id"]
        else:
            parts, message_id = [event["part"]], event["message_id"]
        for part in parts:
            text = part.get("text") if part["type"] == "text" else part.get("title")
            if text:
                yield str(message_id), str(text)
    except (ValueError, KeyError, TypeError, AttributeError):
        logger.warning("An event could not be read and is not searched")


def _query(words: str) -> str:
    """Give the words as FTS5 reads them: each quoted, so that none is an operator."""
    # To SQLite a NUL is the end of the text, in the middle of a quoted word too.
    quoted = [
        f'"{word}"' for each in words.replace("\0", " ").split() if (word := each.replace('"', ""))
    ]
    return " ".join([*quoted[:-1], f"{quoted[-1]}*"]) if quoted else ""
