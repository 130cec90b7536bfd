"""Sessions of subagents: opened in a call of another session's run, and ended with it."""

from collections.abc import Awaitable, Callable

import anyio

from lararium_daemon.protocol.api import SessionCreateInput
from lararium_daemon.protocol.events import MessageAppended, RunStarted, SessionSpawned
from lararium_daemon.protocol.ids import (
    CallId,
    RunId,
    SessionId,
    new_message_id,
    new_part_id,
    new_run_id,
)
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.settlement import Ending, settle
from lararium_daemon.system.clock import now_rfc3339
from lararium_daemon.tools.context import Subtask

SETTLE_SECONDS = 10.0
INTERRUPT_SECONDS = 15.0
_STOPPED = Ending("interrupted", "interrupt", "", "The subagent was stopped.")


class Nursery:
    """The subagents that work now."""

    def __init__(self, library: SessionLibrary) -> None:
        self._library = library
        self._working: dict[SessionId, tuple[anyio.CancelScope, anyio.Event]] = {}

    async def spawn(
        self,
        parent: Session,
        call_id: CallId,
        task: Subtask,
        work: Callable[[Session, RunId], Awaitable[None]],
    ) -> Session:
        """Open a session for the task and see its run through; give it when that has ended.

        Raises:
            LarariumError: `storage_full` and its kin.
        """
        child, run_id = await self._open(parent, call_id, task)
        scope, ended = self._working[child.id] = anyio.CancelScope(), anyio.Event()
        try:
            with scope:
                await work(child, run_id)
        finally:
            with anyio.move_on_after(SETTLE_SECONDS, shield=True):
                await settle(child, _STOPPED)
            del self._working[child.id]
            ended.set()
        return child

    async def interrupt(self, session_id: SessionId) -> None:
        """Stop the subagent of this session, if one works there, and wait until it has ended."""
        if working := self._working.get(session_id):
            scope, ended = working
            scope.cancel()
            with anyio.move_on_after(INTERRUPT_SECONDS):
                await ended.wait()

    def check_free(self, session_id: SessionId) -> None:
        """Refuse a message to a session in which a subagent works.

        Raises:
            LarariumError: 409 `subagent_works`.
        """
        if session_id in self._working:
            detail = "A subagent works here. Nothing was kept; steer it, or speak to its session."
            raise LarariumError("subagent_works", detail, 409)

    async def _open(self, parent: Session, call_id: CallId, task: Subtask) -> tuple[Session, RunId]:
        state, run_id = parent.state, new_run_id()
        part = TextPart(new_part_id(), task.prompt)
        message = Message(new_message_id(), "user", now_rfc3339(), run_id, parts=[part])
        model = state.run.model if state.run is not None else ""
        mode = "plan" if task.read_only else state.mode
        given = SessionCreateInput(title=task.description, mode=mode, model=state.model)
        begin = (
            SessionSpawned(parent.id, call_id),
            MessageAppended(message),
            RunStarted(run_id, message.message_id, model, mode),
        )
        return await self._library.create(given, begin), run_id
