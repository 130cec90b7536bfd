"""What the loop needs of the world, as protocols: it does no I/O of its own.

`sessions/session.py` is a recorder; `sessions/gate.py` joins policy and broker to a gate;
`providers/` holds the model.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from lararium_daemon.agent.budget import Limits
from lararium_daemon.protocol.events import Event, VolatileEvent
from lararium_daemon.protocol.ids import CallId, RunId, SessionId
from lararium_daemon.protocol.permissions import (
    Decision,
    GrantScope,
    Mode,
    PermissionRequest,
    Question,
    QuestionAnswer,
    ResolvedBy,
    Verdict,
)
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.tools.context import Ask, Progress, ToolContext
from lararium_daemon.tools.registry import AnyTool, Preview


@dataclass(slots=True, frozen=True)
class RunPlan:
    """What one run is to do."""

    session_id: SessionId
    run_id: RunId
    model: str
    mode: Mode
    headless: bool
    """No person will answer: asks are denied and counted."""
    limits: Limits
    goes_on: bool = False
    """It was cut by a restart while it waited for the person, and waits on."""


@dataclass(slots=True, frozen=True)
class Ruling:
    """What the policy says of a call."""

    verdict: Verdict
    reason: str
    """One sentence: to the person why it asks, to the model why it was denied."""
    suggested_rules: Sequence[str] = ()
    program: str = ""
    """As `PermissionRequest.program`."""
    allow_once: bool = False
    """As `PermissionRequest.allow_once`."""
    is_explicit: bool = False
    """It is allowed because the person said so of this very call or of everything: by a rule, a
    grant or the mode without questions."""


@dataclass(slots=True, frozen=True)
class Resolution:
    """How an ask ended."""

    decision: Decision
    scope: GrantScope
    by: ResolvedBy
    reason: str = ""


@dataclass(slots=True, frozen=True)
class Answers:
    """How a question ended; no answers when it was withdrawn or nobody is there."""

    answers: list[QuestionAnswer]
    by: ResolvedBy


class Recorder(Protocol):
    """Where events go."""

    @property
    def state(self) -> SessionState:
        """The session as folded so far; read only."""
        ...

    async def commit(self, events: Sequence[Event]) -> int:
        """Commit durable events in one transaction, then show them; give the last seq."""
        ...

    async def commit_if(self, holds: Callable[[], bool], events: Sequence[Event]) -> bool:
        """Commit if `holds` at the moment nothing can come between; give whether it did."""
        ...

    def emit(self, event: VolatileEvent) -> None:
        """Show a volatile event; never waits."""
        ...


class Gate(Protocol):
    """Who decides whether a call may run, and brings asks and questions to the person."""

    def judge(self, tool: AnyTool, preview: Preview) -> Ruling:
        """Decide by rules, grants and mode, without waiting."""
        ...

    def open_request(self, request: PermissionRequest, tool: AnyTool, preview: Preview) -> None:
        """Make a request for this call answerable; called before it is committed."""
        ...

    async def resolution(self, request: PermissionRequest) -> Resolution:
        """Wait for the person, without limit."""
        ...

    def open_question(self, question: Question) -> None:
        """Make a question answerable; called before it is committed."""
        ...

    async def answers(self, question: Question) -> Answers:
        """Wait for the person, without limit."""
        ...

    def committed(self, ask: PermissionRequest | Question) -> None:
        """Tell whoever answered that the answer is committed; the ask is closed."""
        ...

    def withdraw(self, ask: PermissionRequest | Question) -> None:
        """Close an ask that nobody is to answer any more; harmless when it is closed."""
        ...


MakeContext = Callable[[CallId, Ask, Progress], ToolContext]
"""Makes the context of a call."""
