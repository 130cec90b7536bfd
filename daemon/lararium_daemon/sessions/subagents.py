"""Subagents of one run: each works in a session of its own, inside the call that asked for it.

It shares the run's purse, permissions and mode. Its asks are its session's and reach the same
inbox. It ends with the run it works for, and a restart does not take it up again.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import anyio

from lararium_daemon.agent.loop import Agent
from lararium_daemon.agent.ports import Recorder, RunPlan
from lararium_daemon.protocol.events import (
    Event,
    PartAppended,
    PermissionRequested,
    QuestionAsked,
    VolatileEvent,
)
from lararium_daemon.protocol.ids import CallId, RunId
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.sessions.session import Session
from lararium_daemon.tools.context import Progress, Subtask, SubtaskEnd
from lararium_daemon.tools.truncation import cut_middle

AT_ONCE = 4
SHOWN_BYTES = 4 * 1024
_STOPPED = "The subagent was stopped."


class Spawn(Protocol):
    """Opens a subagent's session, sees its run through and closes what it leaves open."""

    async def __call__(
        self,
        parent: Session,
        call_id: CallId,
        task: Subtask,
        work: Callable[[Session, RunId], Awaitable[None]],
    ) -> Session:
        """Give the session once its run has ended."""
        ...


MakeAgent = Callable[[Session, Recorder, RunPlan, Subtask], Agent]
"""Makes the agent that works in a subagent's session."""


@dataclass(slots=True)
class Subagents:
    """Lets subagents of one run work, four at a time."""

    parent: Session
    plan: RunPlan
    """Of the run they work for."""
    spawn: Spawn
    make_agent: MakeAgent
    note_refused: Callable[[int], None]
    """Told how many of their asks were denied because nobody is there."""
    _limit: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(AT_ONCE))

    async def work(self, call_id: CallId, progress: Progress, task: Subtask) -> SubtaskEnd:
        """Let one work to its end; cancelling ends it."""

        async def run(child: Session, run_id: RunId) -> None:
            plan = replace(self.plan, session_id=child.id, run_id=run_id, goes_on=False)
            if task.read_only:
                plan = replace(plan, mode="plan")
            watched = _Watched(child, progress)
            await self.make_agent(child, watched, plan, task).run()

        async with self._limit:
            child = await self.spawn(self.parent, call_id, task, run)
        return self._end(child)

    def _end(self, child: Session) -> SubtaskEnd:
        run = child.state.run
        if run is None:
            return SubtaskEnd(child.id, False, _STOPPED)
        self.note_refused(run.refused)
        said = last_words(child.state.messages)
        if run.outcome == "completed":
            return SubtaskEnd(child.id, True, cut_middle(said) or "It said nothing.")
        why = run.detail or _STOPPED
        return SubtaskEnd(child.id, False, f"{why}\n{cut_middle(said)}".strip())


def last_words(messages: Sequence[Message]) -> str:
    """Give the text of the last answer, or what `task_complete` said."""
    for message in reversed(messages):
        if message.role != "assistant":
            break
        for part in reversed(message.parts):
            if isinstance(part, TextPart) and part.text.strip():
                return part.text.strip()
            done = part.result if isinstance(part, ToolCallPart) else None
            if done is not None and done.metadata.get("complete") is True:
                return done.text
    return ""


class _Watched:
    """A subagent's session as its recorder, whose doings are shown as its call's output."""

    def __init__(self, session: Session, progress: Progress) -> None:
        self._session = session
        self._progress = progress
        self._tail = b""
        self._total = 0

    @property
    def state(self) -> SessionState:
        return self._session.state

    async def commit(self, events: Sequence[Event]) -> int:
        seq = await self._session.commit(events)
        self._show(events)
        return seq

    async def commit_if(self, holds: Callable[[], bool], events: Sequence[Event]) -> bool:
        if not await self._session.commit_if(holds, events):
            return False
        self._show(events)
        return True

    def emit(self, event: VolatileEvent) -> None:
        self._session.emit(event)

    def _show(self, events: Sequence[Event]) -> None:
        for event in events:
            if line := _line(event):
                data = f"{line[:200]}\n".encode()
                self._total += len(data)
                self._tail = (self._tail + data)[-SHOWN_BYTES:]
                self._progress(self._tail, self._total)


def _line(event: Event) -> str:
    """Give what an event is to whoever looks at the call, in a line; "" for most."""
    match event:
        case PartAppended(part=ToolCallPart() as call):
            return f"{call.tool} {call.title}".strip()
        case PartAppended(part=TextPart() as part):
            return part.text.strip().rpartition("\n")[2]
        case PermissionRequested(request=request):
            return f"Waits for you: {request.title}"
        case QuestionAsked(question=question):
            return f"Waits for you: {question.items[0].text if question.items else ''}"
        case _:
            return ""
