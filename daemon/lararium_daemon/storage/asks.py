"""What the person was asked so far, read from the events of all sessions."""

import logging
import sqlite3
from dataclasses import dataclass

from lararium_daemon.protocol.ids import SessionId

logger = logging.getLogger(__name__)

_ASKS = """
    SELECT session_id, at, payload FROM event
    WHERE type = 'permission.requested' ORDER BY position DESC LIMIT ?
"""


@dataclass(slots=True, frozen=True)
class AskRow:
    """A `permission.requested` as it lies on the disk."""

    session_id: SessionId
    at: str
    payload: bytes
    """JSON."""


def read_asks(connection: sqlite3.Connection, limit: int) -> list[AskRow]:
    """Give the newest asks, newest first; none when they lie on a damaged page."""
    try:
        rows = connection.execute(_ASKS, (limit,)).fetchall()
    except sqlite3.DatabaseError:
        logger.exception("Past asks cannot be read")
        return []
    return [AskRow(SessionId(session_id), at, payload) for session_id, at, payload in rows]
