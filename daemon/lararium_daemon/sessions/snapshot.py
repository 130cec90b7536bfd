"""A folded session, written down and read back: opening a long one then folds only what is new.

Only a session in which nothing is open is written down. A snapshot is never the truth: one that
other code has made, or that cannot be read, is as good as none.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from pydantic import TypeAdapter

from lararium_daemon import __version__
from lararium_daemon.protocol.ids import MessageId
from lararium_daemon.protocol.messages import Message
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.sessions.attention import Attention
from lararium_daemon.sessions.fold import Fold
from lararium_daemon.sessions.row import Row
from lararium_daemon.storage.snapshots import Snapshot, StoredSnapshot

STAMP = f"{__version__} 4"
"""Raise the number when the same events give another fold, or the fold keeps more."""
MIN_EVENTS = 100
"""New events after which a session is written down at its next rest."""
LONG_SESSION = 200
"""Messages from which on a session is written down at each rest, so that it opens at once."""


@dataclass(slots=True)
class _Head:
    """Everything but the messages."""

    state: SessionState
    row: Row
    attention: Attention
    clients: dict[str, tuple[MessageId, int]] = field(
        default_factory=dict[str, tuple[MessageId, int]]
    )


_HEAD: TypeAdapter[_Head] = TypeAdapter(_Head)
_MESSAGES: TypeAdapter[list[Message]] = TypeAdapter(list[Message])


def is_due(fold: Fold, new_events: int) -> bool:
    """Say whether the session rests and enough is new to write it down."""
    state = fold.state
    asks = state.requests or state.questions
    if not new_events or fold.is_running or fold.open_turn or fold.intents or asks:
        return False
    if fold.transcript.undurable():
        return False
    return new_events >= MIN_EVENTS or len(state.messages) >= LONG_SESSION


def take_snapshot(fold: Fold, row: Row) -> Snapshot:
    """Write a session down that rests; what had not changed since the last time is left out."""
    place = fold.transcript.changed_from
    changed = fold.state.messages[place:]
    head: dict[str, Any] = {
        "state": replace(fold.state, messages=[]),
        "row": row,
        "attention": row.attention,
        "clients": fold.clients,
    }
    snapshot = Snapshot(
        fold.state.session_id,
        fold.state.seq,
        STAMP,
        orjson.dumps(head, default=list),  # a set
        place,
        [(message.message_id, orjson.dumps(message)) for message in changed],
    )
    fold.transcript.note_kept()
    return snapshot


def restore(stored: StoredSnapshot) -> tuple[Fold, Row]:
    """Give the session as it was written down; takes long for a long one.

    Raises:
        ValueError: it cannot be read.
    """
    head = _HEAD.validate_json(stored.head)
    head.state.messages = _MESSAGES.validate_json(b"[" + b",".join(stored.messages) + b"]")
    fold = Fold(head.state)
    fold.clients = head.clients
    fold.transcript.note_kept()
    head.row.attention = head.attention
    return fold, head.row
