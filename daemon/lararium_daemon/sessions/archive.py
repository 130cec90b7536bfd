"""Sessions out of the journal and into it again, message by message.

What comes in is another's: its ids are made anew, calls without a result are closed, and it becomes
one run that has ended, so that the model is told it before everything that follows.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from lararium_daemon.protocol.events import Event, MessageAppended, Notice, RunEnded, RunStarted
from lararium_daemon.protocol.ids import (
    RunId,
    new_call_id,
    new_message_id,
    new_part_id,
    new_run_id,
)
from lararium_daemon.protocol.messages import Message, Part, ToolCallPart, ToolResult
from lararium_daemon.protocol.permissions import Mode
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.session import Session
from lararium_daemon.system.clock import now_rfc3339

_CUT = ToolResult("There is no result: it was missing in what was imported.", True, "missing")
_OPEN = ("pending", "running")


async def import_messages(session: Session, messages: Sequence[Message], note: str = "") -> int:
    """Add messages to a session that does nothing; give the last seq.

    Raises:
        LarariumError: 409 `not_idle`, 422 `nothing_to_import`, `storage_full` and its kin.
    """
    if not messages:
        raise LarariumError("nothing_to_import", "There is no message in it.", 422)
    async with session.posting:
        if session.fold.is_running or session.fold.transcript.queued:
            raise LarariumError("not_idle", "Something runs or waits in this session.", 409)
        state = session.state
        return await session.commit(imported(messages, state.model or "", state.mode, note))


def imported(messages: Sequence[Message], model: str, mode: Mode, note: str = "") -> list[Event]:
    """Give the events by which messages from elsewhere, at least one, become a run that is over."""
    run_id = new_run_id()
    own = [_own(message, run_id) for message in messages]
    first = next((m for m in own if m.role == "user"), own[0])
    events: list[Event] = [MessageAppended(message) for message in own]
    events += [
        RunStarted(run_id, first.message_id, model, mode),
        RunEnded(run_id, "completed", 0, "imported"),
    ]
    if note:
        events.append(Notice("warning", "import_incomplete", note))
    return events


def _own(message: Message, run_id: RunId) -> Message:
    return replace(
        message,
        message_id=new_message_id(),
        created_at=_time(message.created_at),
        run_id=run_id,
        client_message_id=None,
        parts=[_own_part(part) for part in message.parts],
        reasoning=None,  # it would go to a server unseen
    )


def _time(given: str) -> str:
    """Give a time as ours are written; now, when it is none."""
    try:
        time = datetime.fromisoformat(given).astimezone(UTC)
    except (ValueError, OverflowError):
        return now_rfc3339()
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _own_part(part: Part) -> Part:
    if not isinstance(part, ToolCallPart):
        return replace(part, part_id=new_part_id())
    own = replace(part, part_id=new_part_id(), call_id=new_call_id())
    if own.state in _OPEN or own.result is None:
        own.state, own.result = "interrupted", own.result or _CUT
    return own
