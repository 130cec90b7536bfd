"""What the manager asks of whoever works on a person's message."""

from dataclasses import dataclass, field
from typing import Protocol

from lararium_daemon.protocol.ids import MessageId, RunId
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.subagents import Spawn


@dataclass(slots=True, frozen=True)
class RunRequest:
    """What one run is to do; `run.started` is committed."""

    run_id: RunId
    message_id: MessageId
    headless: bool = False
    """No person will answer: asks are denied."""
    allow: list[str] = field(default_factory=list[str])
    """Rules allowed for this run only."""
    max_turns: int | None = None
    """None = the default of the settings."""
    goes_on: bool = False
    """It began before a restart and waits for the person still: nothing is begun anew."""
    spawn: Spawn | None = field(default=None, compare=False)
    """Opens sessions for the run's subagents; None = it has none."""


class Runner(Protocol):
    """Works on a message until it is done; one call a run."""

    async def __call__(self, session: Session, run: RunRequest) -> None:
        """Run, and commit `run.ended` unless the call was cancelled.

        Cancelling is the person's interrupt: the runner may commit what it streamed under a
        bounded shield, then lets the cancellation through; the manager settles what stays open
        and commits `run.ended`. Anything it raises ends the run with the code `internal`.
        """
        ...
