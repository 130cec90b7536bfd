"""The table of what waits for the person: SQL on a connection that somebody else owns.

Writing happens inside the transaction of the events the items are folded from. Each write gives an
item the next `seq` of the workspace, so the order of the seqs is that of the commits.
"""

import logging
import sqlite3
from collections.abc import Sequence
from dataclasses import replace

import orjson
from pydantic import TypeAdapter

from lararium_daemon.protocol.attention import AttentionItem, AttentionPage
from lararium_daemon.protocol.ids import SessionId

logger = logging.getLogger(__name__)

KEPT = 2_000
"""How many places back a resolved item is remembered; whoever was away for longer missed nothing
that is still open."""

_ITEM: TypeAdapter[AttentionItem] = TypeAdapter(AttentionItem)
_PUT = "INSERT OR REPLACE INTO attention (id, session_id, is_open, item) VALUES (?, ?, ?, ?)"
_PRUNE = """
    DELETE FROM attention
    WHERE seq <= (SELECT MAX(seq) FROM attention) - ? AND is_open = 0
"""
_PAGE = "SELECT seq, item FROM attention WHERE seq > ? ORDER BY seq LIMIT ?"
_LAST = "SELECT MAX(seq) FROM attention"


def put_items(connection: sqlite3.Connection, items: Sequence[AttentionItem]) -> None:
    """Write items, each at a new place."""
    rows = [(each.id, each.session_id, each.resolved_at is None, _encode(each)) for each in items]
    connection.executemany(_PUT, rows)
    if rows:
        connection.execute(_PRUNE, (KEPT,))


def put_lost(connection: sqlite3.Connection, items: Sequence[AttentionItem]) -> None:
    """Write the open items that the table does not have as they are; the others stay in place."""
    for item in items:
        found = connection.execute("SELECT item FROM attention WHERE id = ?", (item.id,)).fetchone()
        if found is None or found[0] != _encode(item):
            put_items(connection, [item])


def forget_session(connection: sqlite3.Connection, session_id: SessionId, at: str) -> None:
    """Resolve what is open of a session and keep nothing that it said."""
    sql = "SELECT seq, item FROM attention WHERE session_id = ? AND is_open = 1 ORDER BY seq"
    open_items = _read(connection.execute(sql, (session_id,)).fetchall())
    connection.execute("DELETE FROM attention WHERE session_id = ?", (session_id,))
    blank = {"seq": 0, "title": "", "detail": "", "program": "", "resolved_at": at}
    put_items(connection, [replace(each, **blank) for each in open_items])


def read_page(connection: sqlite3.Connection, after: int, limit: int) -> AttentionPage:
    """Give what is after a place, oldest change first.

    A place beyond the last one is of a journal that is gone: everything is given then.
    """
    last = connection.execute(_LAST).fetchone()[0] or 0
    start = after if after <= last else 0
    rows = connection.execute(_PAGE, (start, limit)).fetchall()
    next_seq = rows[-1][0] if rows else start
    return AttentionPage(items=_read(rows), next_seq=next_seq)


def _encode(item: AttentionItem) -> bytes:
    return orjson.dumps(item)


def _read(rows: Sequence[tuple[int, bytes]]) -> list[AttentionItem]:
    items: list[AttentionItem] = []
    for seq, item in rows:
        try:
            items.append(replace(_ITEM.validate_json(item), seq=seq))
        except ValueError:
            logger.warning("What waits at place %s could not be read and is left out", seq)
    return items
