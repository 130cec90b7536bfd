"""From a session's journal to its fold."""

import logging
from collections.abc import Sequence

from lararium_daemon.protocol.events import Event
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.state import NoticeState
from lararium_daemon.protocol.wire import decode_payload
from lararium_daemon.sessions.fold import Fold, fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.snapshot import restore
from lararium_daemon.storage.journal import Entry
from lararium_daemon.storage.snapshots import StoredSnapshot

logger = logging.getLogger(__name__)


def load(
    session_id: SessionId, entries: Sequence[Entry], stored: StoredSnapshot | None = None
) -> tuple[Fold, Row]:
    """Fold what the journal has; takes long for a long session, so call it in a thread.

    With a snapshot, `entries` are those after it.

    An event that is missing, cannot be read or was written by a newer version is left out and said
    in a notice: the rest of the session stays usable.

    Raises:
        ValueError: the snapshot cannot be read.
    """
    fold, row = restore(stored) if stored else (fresh(session_id), Row(session_id))
    left_out = 0
    for entry in entries:
        left_out += entry.seq - fold.state.seq - 1
        event = _read(session_id, entry)
        if event is None:
            left_out += 1
            fold.state.seq = entry.seq
            continue
        fold.apply_durable(event, entry.seq, entry.at)
        row.apply(event, entry.at)
    if left_out:
        text = f"{left_out} events of this session could not be read and are not shown."
        at = entries[-1].at
        fold.state.notices.append(
            NoticeState(fold.state.seq, at, "warning", "events_unreadable", text)
        )
    return fold, row


def _read(session_id: SessionId, entry: Entry) -> Event | None:
    try:
        event = decode_payload(entry.type, entry.payload)
    except ValueError:
        event = None
    if event is None:
        logger.warning("Event %s %s (%s) cannot be read", session_id, entry.seq, entry.type)
    return event
