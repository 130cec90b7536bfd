"""What can still be read of a damaged journal.

Every event that any walk reaches is copied; then each session keeps its events from the first to
the last without a gap. So a session that is broken in the middle keeps its beginning, and the
others lose nothing. The damaged file is only read.
"""

import logging
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from lararium_daemon.storage.database import connect, create_private, first_schema

logger = logging.getLogger(__name__)

PAGE_BYTES = 4096
_COLUMNS = "SELECT session_id, seq, at, type, payload FROM event"
_WALKS = (
    f"{_COLUMNS} NOT INDEXED ORDER BY position",
    f"{_COLUMNS} NOT INDEXED ORDER BY position DESC",
)
_IDS = (
    "SELECT id FROM session",
    "SELECT DISTINCT session_id FROM event ORDER BY session_id",
    "SELECT DISTINCT session_id FROM event ORDER BY session_id DESC",
)
_BY_SESSION = f"{_COLUMNS} WHERE session_id = ? ORDER BY seq"
_OF_SESSION = (
    "SELECT seq, at, type, payload FROM event WHERE session_id = ? AND seq > ? ORDER BY seq",
    "SELECT seq, at, type, payload FROM event NOT INDEXED WHERE session_id = ? AND seq > ?",
)
_KEEP = "INSERT OR IGNORE INTO event (session_id, seq, at, type, payload) VALUES (?, ?, ?, ?, ?)"
_DROP_AFTER_GAPS = """
    DELETE FROM event WHERE position IN (
        SELECT position FROM (
            SELECT position, seq, ROW_NUMBER() OVER (PARTITION BY session_id ORDER BY seq) AS place
            FROM event
        ) WHERE seq <> place
    )
"""

_Row = tuple[object, ...]


def salvage(damaged: Path, into: sqlite3.Connection) -> int:
    """Copy what can be read into an empty journal; give how many events were kept."""
    kept = _copy_all(damaged, into)
    if kept > 0:
        return kept
    repaired = damaged.with_name(f"{damaged.name}.head")
    try:
        _give_new_head(damaged, repaired)
        return _copy_all(repaired, into)
    except (sqlite3.Error, OSError):
        logger.exception("A copy of the damaged journal with a new head cannot be read either")
        return 0
    finally:
        repaired.unlink(missing_ok=True)


def _copy_all(damaged: Path, into: sqlite3.Connection) -> int:
    try:
        source = connect(damaged, read_only=True)
    except (sqlite3.Error, UnicodeDecodeError):
        return 0
    into.execute("BEGIN IMMEDIATE")
    try:
        for walk in _WALKS:
            _copy(source, into, walk)
        for session_id in sorted(
            {row[0] for sql in _IDS for row in _readable(source, sql)}, key=str
        ):
            _copy(source, into, _BY_SESSION, session_id)
        into.execute(_DROP_AFTER_GAPS)
        kept = int(into.execute("SELECT COUNT(*) FROM event").fetchone()[0])
    except sqlite3.Error:
        into.execute("ROLLBACK")
        raise
    finally:
        source.close()
    into.execute("COMMIT")
    return kept


def _give_new_head(damaged: Path, copy: Path) -> None:
    """Copy a journal with the first page that it began with.

    That page names the tables and says where each begins. The events have begun on the same page
    in every journal, so they can be found again when nothing else of the page can be trusted.
    """
    create_private(copy)
    shutil.copyfile(damaged, copy)
    pages = copy.stat().st_size // PAGE_BYTES
    head = bytearray(_first_page(copy.with_name(f"{copy.name}.new")))
    head[18:20] = b"\1\1"  # no write-ahead log: there is none beside the copy
    head[24:28] = head[92:96]  # else the number of pages is not believed
    head[28:32] = pages.to_bytes(4)
    head[32:40] = bytes(8)  # no free pages: each is one that may hold something
    with copy.open("r+b") as file:
        file.write(head)


def _first_page(path: Path) -> bytes:
    create_private(path)
    try:
        fresh = sqlite3.connect(path)
        fresh.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        fresh.executescript(first_schema())
        fresh.close()
        with path.open("rb") as file:
            return file.read(PAGE_BYTES)
    finally:
        path.unlink(missing_ok=True)


def rescue_events(
    source: sqlite3.Connection, session_id: str, after_seq: int
) -> list[tuple[int, str, str, bytes]]:
    """Give the events of one session that any walk reaches, in order; some may be missing."""
    found: dict[int, tuple[int, str, str, bytes]] = {}
    for walk in _OF_SESSION:
        for row in _readable(source, walk, session_id, after_seq):
            match row:
                case (int(seq), str(at), str(kind), bytes(payload)):
                    found[seq] = (seq, at, kind, payload)
                case _:
                    pass
    return [found[seq] for seq in sorted(found)]


def _copy(source: sqlite3.Connection, into: sqlite3.Connection, sql: str, *values: object) -> None:
    for row in _readable(source, sql, *values):
        if _is_event(row):
            into.execute(_KEEP, row)


def _readable(source: sqlite3.Connection, sql: str, *values: object) -> Iterator[_Row]:
    """Give rows until the damage."""
    try:
        yield from source.execute(sql, values)
    except (sqlite3.Error, UnicodeDecodeError) as error:
        logger.info("A walk through the damaged journal ended early: %s", error)


def _is_event(row: _Row) -> bool:
    wanted = (str, int, str, str, bytes)
    return all(isinstance(value, kind) for value, kind in zip(row, wanted, strict=True))
