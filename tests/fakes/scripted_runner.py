"""A runner that does what the test wrote, in place of the agent."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio

from lararium_daemon.protocol.events import (
    MessageAppended,
    PartAppended,
    PartDelta,
    RunEnded,
    TurnEnded,
    TurnStarted,
)
from lararium_daemon.protocol.ids import MessageId, new_message_id, new_part_id
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session

Script = Callable[[Session, RunRequest], Awaitable[None]]


@dataclass
class ScriptedRunner:
    """Runs `script`; keeps what it was asked."""

    script: Script
    requests: list[RunRequest] = field(default_factory=list[RunRequest])

    async def __call__(self, session: Session, run: RunRequest) -> None:
        self.requests.append(run)
        await self.script(session, run)


async def begin_answer(session: Session, run: RunRequest) -> MessageId:
    """Commit the intent of a model call and its empty answer."""
    message = Message(new_message_id(), "assistant", "2026-11-30T12:00:00.000Z", run.run_id)
    await session.commit([
        TurnStarted(run.run_id, 1, message.message_id),
        MessageAppended(message),
    ])
    return message.message_id


async def answer(session: Session, run: RunRequest, text: str = "Done.") -> None:
    """Answer with streamed text and end the run."""
    message_id = await begin_answer(session, run)
    part = TextPart(new_part_id(), text)
    session.emit(PartDelta(message_id, part.part_id, "text", 0, text))
    await session.commit([
        PartAppended(message_id, part),
        TurnEnded(run.run_id, 1, message_id, "stop"),
        RunEnded(run.run_id, "completed", 0, text=text),
    ])


@dataclass
class Gated:
    """A script that waits for the test in the middle of a run."""

    entered: anyio.Event = field(default_factory=anyio.Event)
    leave: anyio.Event = field(default_factory=anyio.Event)

    async def __call__(self, session: Session, run: RunRequest) -> None:
        self.entered.set()
        await self.leave.wait()
        await answer(session, run)
