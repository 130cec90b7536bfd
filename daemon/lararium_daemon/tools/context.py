"""What a tool may know and ask for while it previews and runs a call."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lararium_daemon.protocol.ids import CallId, SessionId
from lararium_daemon.protocol.permissions import QuestionAnswer, QuestionItem
from lararium_daemon.protocol.todo import TodoStep

Ask = Callable[[list[QuestionItem]], Awaitable[list[QuestionAnswer]]]
"""Ask the person and wait, without limit; an empty list means nobody is there to answer."""

Progress = Callable[[bytes, int], None]
"""Show the newest output: the last bytes (at most 4 KiB) and how many came in all. Never blocks."""

KeepTodo = Callable[[Sequence[TodoStep]], None]
"""Make this the session's list of steps, together with the call's result. Never blocks."""

MayRead = Callable[[Path], bool]
"""Whether a search may show a file it comes across, by its real path."""


@dataclass(slots=True, frozen=True)
class Subtask:
    """What a subagent is to do."""

    description: str
    """A few words, the title of its session."""
    prompt: str
    read_only: bool


@dataclass(slots=True, frozen=True)
class SubtaskEnd:
    """What became of it."""

    session_id: SessionId
    """The subagent's own session."""
    is_done: bool
    text: str
    """Its last words, or why it stopped."""


Delegate = Callable[[Subtask], Awaitable[SubtaskEnd]]
"""Let a subagent work, within the budget of the run; cancelling ends it."""


def _every_file(path: Path) -> bool:
    return True


def _keep_nothing(steps: Sequence[TodoStep]) -> None:
    pass


@dataclass(slots=True)
class FileLedger:
    """What a session has read: SHA-256 by real path. One a session, kept while the daemon lives."""

    seen: dict[Path, str] = field(default_factory=dict[Path, str])


@dataclass(slots=True, frozen=True)
class ToolContext:
    """Handed to each call."""

    root: Path
    """The workspace's real path."""
    session_id: SessionId
    call_id: CallId
    environment: Mapping[str, str]
    """For child processes; holds no secret of ours and the call's mark `LARARIUM_CALL`."""
    spool: Path
    """Where the call may keep its full output; the folder exists."""
    ledger: FileLedger
    ask: Ask
    progress: Progress
    may_read: MayRead = _every_file
    """Asked for files nobody named: those a search finds. Names of secrets are skipped anyway."""
    delegate: Delegate | None = None
    """None for a subagent, which has none of its own."""
    keep_todo: KeepTodo = _keep_nothing
