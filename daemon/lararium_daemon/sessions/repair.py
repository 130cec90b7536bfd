"""What must be said when a run was cut, by a crash or by the person.

Pure: from what the fold left open to the events that close it, so that every call has exactly one
result, every ask an end and every run one `run.ended`. Nothing is run again. A call whose intent
was committed has an unknown outcome, except a write that the file's hashes can settle.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

from lararium_daemon.protocol.events import (
    Event,
    Outcome,
    PartAppended,
    PartDelta,
    PermissionResolved,
    QuestionResolved,
    RunEnded,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from lararium_daemon.protocol.ids import RunId
from lararium_daemon.protocol.messages import (
    CallState,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolResult,
)
from lararium_daemon.sessions.fold import Fold

Cause = Literal["restart", "interrupt"]
"""`restart`: the daemon died in the run. `interrupt`: the run was stopped or broke, just now."""

Hashes = Mapping[str, str]
"""SHA-256 of the file at each path, "absent" when there is none."""

RESTARTED = "daemon_restarted"
_WITHDRAWN = {
    "restart": "The daemon was restarted before an answer came.",
    "interrupt": "The run was stopped before an answer came.",
}
_UNKNOWN = {
    "restart": "Interrupted, outcome unknown: the daemon stopped while this ran. It may have "
    "partly run; it was not started again. Look at what it left before going on.",
    "interrupt": "Interrupted: this was stopped while it ran. It may have partly run. Look at what "
    "it left before going on.",
}
_NOT_STARTED = "Not started: the run was interrupted before this call."


def written_paths(fold: Fold) -> list[str]:
    """Give the files that cut calls were about to write."""
    return [intent.path for intent in fold.intents.values() if intent.path]


def repairs(fold: Fold, cause: Cause, hashes: Hashes) -> list[Event]:
    """Give the events that close everything the run left open, but not its end."""
    run = fold.state.run
    if run is None or run.outcome is not None:
        return []
    return [
        *_rest_of_texts(fold),
        *_cut_turn(fold),
        *(
            PermissionResolved(each.id, "deny", "once", cause, _WITHDRAWN[cause])
            for each in fold.state.requests
        ),
        *(QuestionResolved(each.id, by=cause) for each in fold.state.questions),
        *_open_calls(fold, run.run_id, cause, hashes),
    ]


def ended(fold: Fold, outcome: Outcome, code: str = "", detail: str = "") -> list[Event]:
    """Give the end of the run that is open, if one is."""
    run = fold.state.run
    if run is None or run.outcome is not None:
        return []
    return [RunEnded(run.run_id, outcome, run.refused, code, detail)]


def _rest_of_texts(fold: Fold) -> Sequence[Event]:
    return [_piece(delta) for delta in fold.transcript.undurable()]


def _piece(delta: PartDelta) -> PartAppended:
    kind = TextPart if delta.kind == "text" else ThinkingPart
    return PartAppended(delta.message_id, kind(delta.part_id, delta.text), delta.offset)


def _cut_turn(fold: Fold) -> Sequence[Event]:
    turn = fold.open_turn
    if turn is None:
        return []
    return [TurnEnded(turn.run_id, turn.turn, turn.message_id, finish_reason="", cut=True)]


def _open_calls(fold: Fold, run_id: RunId, cause: Cause, hashes: Hashes) -> Sequence[Event]:
    events: list[Event] = []
    for call in fold.transcript.calls.values():
        if call.state == "pending":
            result = ToolResult(_NOT_STARTED, is_error=True, summary="not started")
            events.append(ToolEnded(run_id, call.call_id, "interrupted", result))
        elif call.state == "running":
            state, result = _settled(call, fold.intents.get(call.call_id), cause, hashes)
            events.append(ToolEnded(run_id, call.call_id, state, result))
    return events


def _settled(
    call: ToolCallPart, intent: ToolStarted | None, cause: Cause, hashes: Hashes
) -> tuple[CallState, ToolResult]:
    if intent is not None and intent.path and intent.after_sha256:
        found = hashes.get(intent.path)
        if found == intent.after_sha256:
            text = f"Interrupted after the change was written to {call.title or intent.path}."
            return "completed", ToolResult(text, summary="applied")
        if found == intent.before_sha256:
            text = f"Interrupted before the change was written to {call.title or intent.path}."
            return "interrupted", ToolResult(text, is_error=True, summary="not applied")
    return "interrupted", ToolResult(_UNKNOWN[cause], is_error=True, summary="outcome unknown")
