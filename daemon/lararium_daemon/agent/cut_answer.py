"""The answer in the middle of which a run was cut: found again, with the calls it left open."""

from lararium_daemon.protocol.ids import RunId
from lararium_daemon.protocol.messages import Message, ToolCallPart
from lararium_daemon.protocol.state import SessionState

_OPEN = ("pending", "running")


def last_answer(state: SessionState, run_id: RunId) -> Message | None:
    """Give the run's last answer; None before its first."""
    ours = (m for m in reversed(state.messages) if m.run_id == run_id and m.role == "assistant")
    return next(ours, None)


def open_calls(answer: Message) -> list[ToolCallPart]:
    """Give the answer's calls that have no result, in order."""
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
    return [call for call in calls if call.state in _OPEN]


def changed_a_file(answer: Message) -> bool:
    """Tell whether one of the answer's calls changed a file."""
    calls = [part for part in answer.parts if isinstance(part, ToolCallPart)]
    return any(c.state == "completed" and c.result and c.result.diff for c in calls)
