"""Who runs when: one run a session, four at once, the rest waits visibly in order.

The manager owns each run's cancel scope and vouches that every run ends with exactly one
`run.ended`, whatever its runner does. At start it settles what a crash cut. A follow-up begins
when the run before it ends, but not after an error or a crash: then the person speaks first.
"""

import contextlib
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import anyio
from anyio.abc import TaskGroup

from lararium_daemon.protocol.api import MessageAccepted, MessageInput
from lararium_daemon.protocol.events import (
    CompactionEnded,
    Event,
    MessageAppended,
    RunStarted,
)
from lararium_daemon.protocol.ids import (
    RunId,
    SessionId,
    new_message_id,
    new_part_id,
    new_run_id,
)
from lararium_daemon.protocol.messages import ImagePart, Message, Part, TextPart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.intake import (
    check_compaction,
    check_room,
    cut_message,
    present_state,
    stopping,
    title_events,
)
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.sessions.nursery import Nursery
from lararium_daemon.sessions.places import Place, Places
from lararium_daemon.sessions.queue import MessageQueue, asked
from lararium_daemon.sessions.repair import RESTARTED
from lararium_daemon.sessions.runner import Runner, RunRequest
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.settlement import (
    BROKE,
    CUT_BY_RESTART,
    INTERRUPTED,
    STOPPED,
    Ending,
    settle,
)
from lararium_daemon.sessions.waiting import waits_for_person
from lararium_daemon.storage.journal import Journal
from lararium_daemon.system.clock import now_rfc3339

logger = logging.getLogger(__name__)

RUNS_AT_ONCE = 4
SETTLE_SECONDS = 10.0
SETTLE_AGAIN_SECONDS = 5.0
INTERRUPT_SECONDS = 15.0
"""How long an interrupt waits for the run's end; the run ends all the same."""


class SessionManager:
    """Takes the person's messages and sees each run through; made by `open_manager`."""

    def __init__(
        self,
        library: SessionLibrary,
        runner: Runner,
        tasks: TaskGroup,
        default_model: Callable[[], str],
        runs_at_once: int,
    ) -> None:
        self.library = library
        self._nursery = Nursery(library)
        self._runner = runner
        self._tasks = tasks
        self._default_model = default_model
        self.places = Places(runs_at_once)
        self.queue = MessageQueue(library)
        self.begun = 0
        """How many runs have begun in all."""

    async def post_message(
        self, session_id: SessionId, given: MessageInput, images: Sequence[ImagePart] = ()
    ) -> MessageAccepted:
        """Take the person's message: it runs at once, or waits in the queue.

        The same client id again gives the message's present state.

        Raises:
            LarariumError: `unknown_session`, `message_id_reused`, `message_removed`,
                `queue_full`, `subagent_works`, 503 `daemon_stopping`, `storage_full` and its kin.
        """
        session = await self.library.get(session_id)
        async with session.posting:
            if given.client_message_id in session.fold.clients:
                return present_state(session, given)
            check_room(session)
            self._nursery.check_free(session.id)
            if self.places.of(session.id) is None:
                await settle(session, BROKE)  # an end that could not be stored in its time
            return await self._accept(session, given, images)

    async def steer(
        self, session_id: SessionId, given: MessageInput, images: Sequence[ImagePart] = ()
    ) -> MessageAccepted:
        """Say something to the run that goes on: the model is told after the current tools.

        Raises:
            LarariumError: `unknown_session`, 409 `no_run` (nothing was kept), `message_id_reused`,
                `storage_full` and its kin.
        """
        session = await self.library.get(session_id)
        async with session.posting:
            if given.client_message_id in session.fold.clients:
                return present_state(session, given)
            run = session.state.run
            message = _message(given, run.run_id if run else None, images)

            def goes_on() -> bool:
                now = session.state.run
                return now is not None and now.outcome is None and now is run

            if not await session.commit_if(goes_on, [MessageAppended(message)]):
                raise LarariumError("no_run", "No run goes on. Send it as a message.", 409)
            return present_state(session, given)

    async def interrupt(self, session_id: SessionId) -> None:
        """Stop the session's run and wait until its end is committed; nothing when none runs.

        Raises:
            LarariumError: `unknown_session`.
        """
        await self.library.get(session_id)
        await self._nursery.interrupt(session_id)
        place = self.places.of(session_id)
        if place is not None:
            place.scope.cancel()
            with anyio.move_on_after(INTERRUPT_SECONDS):
                await place.ended.wait()

    async def resume(self, session_id: SessionId) -> MessageAccepted:
        """Go on with the message whose run was cut, in a new run that is told what was done.

        Raises:
            LarariumError: `unknown_session`, 409 `nothing_to_resume`, 409 `too_many_runs`,
                409 `subagent_works`, 503 `daemon_stopping`, `storage_full` and its kin.
        """
        session = await self.library.get(session_id)
        async with session.posting:
            if self.places.is_closing:
                raise stopping()
            self._nursery.check_free(session.id)
            is_idle = self.places.of(session.id) is None
            if is_idle:
                await settle(session, BROKE)  # an end that could not be stored in its time
            message = cut_message(session, is_idle=is_idle, has_place=self.places.has_free)
            request = RunRequest(new_run_id(), message.message_id)
            seq = await self._begin(session, request, message, [])
            return MessageAccepted(
                message_id=message.message_id, run_id=request.run_id, seq=seq, queued=False
            )

    async def compact(
        self, session_id: SessionId, summarise: Callable[[Session], Awaitable[None]]
    ) -> None:
        """Have a session's older messages summarised; what is sent meanwhile waits its turn.

        Raises:
            LarariumError: `unknown_session`, 409 `run_goes_on`, 409 `too_many_runs`,
                409 `nothing_to_compact`, 502 `compaction_failed`, 503 `daemon_stopping`.
        """
        session = await self.library.get(session_id)
        async with session.posting:
            if self.places.is_closing:
                raise stopping()
            is_idle = self.places.of(session.id) is None and not session.fold.is_running
            check_compaction(is_idle=is_idle, has_place=self.places.has_free)
            self._nursery.check_free(session.id)
            place = self.places.take(session.id)
        try:
            with place.scope:
                await summarise(session)
        finally:
            with anyio.move_on_after(SETTLE_SECONDS, shield=True):
                if session.state.is_compacting and session.state.run is not None:
                    await session.commit([CompactionEnded(session.state.run.run_id, None)])
            self._free(session.id)
            self._follow_up(session)

    async def delete(self, session_id: SessionId) -> None:
        """Stop what the session does and forget it for good, with those of its subagents.

        Raises:
            LarariumError: `unknown_session`, 409 `still_running`, `storage_full` and its kin.
        """
        await self.queue.remove(session_id)
        await self.interrupt(session_id)
        if self.places.of(session_id) is not None:
            detail = "The session's run did not stop in time. Try to delete it again."
            raise LarariumError("still_running", detail, 409)
        for child in await self.library.journal.children(session_id):
            await self.library.delete(child)
        await self.library.delete(session_id)

    async def recover(self) -> None:
        """Settle what a crash cut, wait on where the person was asked, begin what was queued."""
        for session_id in await self.library.journal.unsettled():
            try:
                session = await self.library.get(session_id)
                is_alone = session.state.parent_id is None
                if is_alone and waits_for_person(session.fold):
                    self._wait_on(session)
                else:
                    await settle(session, CUT_BY_RESTART)
                await self.library.journal.put_summary(session.summary, session.attention)
                self.library.lookout.note(session.summary)
            except LarariumError:
                logger.exception("Session %s could not be settled after a crash", session_id)
                continue
            self._follow_up(session)

    async def _accept(
        self, session: Session, given: MessageInput, images: Sequence[ImagePart]
    ) -> MessageAccepted:
        if self.places.is_closing:  # nothing is awaited between this and the place that is taken
            raise stopping()
        has_place = self.places.of(session.id) is None and self.places.has_free
        run_id = new_run_id() if has_place and not session.fold.transcript.queued else None
        message = _message(given, run_id, images)
        events = [*title_events(session, given.text), MessageAppended(message)]
        if run_id is None:
            seq = await session.commit(events)
            self.queue.remember(message.message_id, given)
            self._enqueue(session)
            return MessageAccepted(message_id=message.message_id, run_id=None, seq=seq, queued=True)
        request = asked(run_id, message.message_id, given)
        seq = await self._begin(session, request, message, events)
        return MessageAccepted(
            message_id=message.message_id, run_id=run_id, seq=seq - 1, queued=False
        )

    async def _begin(
        self, session: Session, request: RunRequest, message: Message, events: Sequence[Event]
    ) -> int:
        """Commit `events` and the begin of a run, and see it through; give the last seq."""
        place = self.places.take(session.id)
        try:
            started = self._started(session, request.run_id, message)
            seq = await session.commit([*events, started])
        except BaseException:
            self._free(session.id)
            raise
        self._tasks.start_soon(self._drive, session, request, place)
        return seq

    def _started(self, session: Session, run_id: RunId, message: Message) -> RunStarted:
        self.begun += 1
        model = session.state.model or self._default_model()
        return RunStarted(run_id, message.message_id, model, session.state.mode)

    def _wait_on(self, session: Session) -> None:
        """Let a run that a restart cut while it waited for the person wait on."""
        run = session.state.run
        if run is not None:
            place = self.places.take(session.id)
            request = RunRequest(run.run_id, run.message_id, goes_on=True)
            self._tasks.start_soon(self._drive, session, request, place)

    async def _drive(self, session: Session, request: RunRequest, place: Place) -> None:
        ending = STOPPED
        try:
            with place.scope:
                ending = await self._run(session, request)
            if place.scope.cancel_called:
                ending = INTERRUPTED
        finally:
            is_kept = self.places.is_closing and not place.scope.cancel_called
            if not (is_kept and waits_for_person(session.fold)):
                with anyio.move_on_after(SETTLE_SECONDS, shield=True):
                    await self._settle(session, ending)
            self._free(session.id)
            self._follow_up(session)

    async def _run(self, session: Session, request: RunRequest) -> Ending:
        """Run, and say how it ends if the runner did not; one of the daemon's top handlers."""
        try:
            await self._runner(session, replace(request, spawn=self._nursery.spawn))
        except LarariumError as error:
            logger.warning("Run %s ended early: %s", request.run_id, error.detail)
            return Ending("error", "interrupt", error.code, error.detail)
        except Exception:  # a run that breaks must not take the daemon with it
            logger.exception("Run %s broke", request.run_id)
            return BROKE
        if session.fold.is_running:
            logger.error("Run %s returned without its end", request.run_id)
        return BROKE

    async def _settle(self, session: Session, ending: Ending) -> None:
        try:
            await settle(session, ending)
        except Exception:  # it stays open until there is room again
            logger.exception("The end of a run in session %s could not be stored", session.id)
            self._tasks.start_soon(self._settle_later, session, ending)

    async def _settle_later(self, session: Session, ending: Ending) -> None:
        """Try again until the end is stored; a message that comes before settles it too."""
        while True:
            await anyio.sleep(SETTLE_AGAIN_SECONDS)
            async with session.posting:
                if self.places.of(session.id) is not None or not session.fold.is_running:
                    return
                with contextlib.suppress(LarariumError):
                    return await settle(session, ending)

    def _free(self, session_id: SessionId) -> None:
        self.places.free(session_id)
        self._fill()

    def _follow_up(self, session: Session) -> None:
        run = session.state.run
        is_held = run is not None and (run.outcome in {"error", None} or run.code == RESTARTED)
        if session.fold.transcript.queued and not is_held:
            self._enqueue(session)

    def _enqueue(self, session: Session) -> None:
        self.places.line_up(session.id)
        self._fill()

    def _fill(self) -> None:
        for session_id, place in self.places.admit():
            self._tasks.start_soon(self._begin_next, session_id, place)

    async def _begin_next(self, session_id: SessionId, place: Place) -> None:
        """Start the session's oldest queued message, if it is still there."""
        try:
            session = await self.library.get(session_id)
            async with session.posting:
                request = await self._take(session)
        except LarariumError as error:
            logger.warning("A queued message could not be started: %s", error.detail)
            request = session = None
        if request is None or session is None:
            self._free(session_id)
            return
        await self._drive(session, request, place)

    async def _take(self, session: Session) -> RunRequest | None:
        message = next(iter(session.fold.transcript.queued.values()), None)
        if message is None:
            return None
        run_id = new_run_id()
        await session.commit([self._started(session, run_id, message)])
        return self.queue.request(run_id, message.message_id)


@asynccontextmanager
async def open_manager(
    journal: Journal,
    runner: Runner,
    epoch: str,
    *,
    default_model: Callable[[], str],
    runs_at_once: int = RUNS_AT_ONCE,
) -> AsyncGenerator[SessionManager]:
    """Settle what a crash cut, take messages, and at the end stop every run and see it settled.

    Args:
        journal: of the workspace.
        runner: works on a message.
        epoch: the daemon's guid.
        default_model: the name that `run.started` says when a session has chosen no model.
        runs_at_once: how many sessions may run at the same time.
    """
    async with anyio.create_task_group() as tasks:
        library = SessionLibrary(journal, epoch)
        manager = SessionManager(library, runner, tasks, default_model, runs_at_once)
        await manager.recover()
        try:
            yield manager
        finally:
            manager.places.close()
            tasks.cancel_scope.cancel()


def _message(given: MessageInput, run_id: RunId | None, images: Sequence[ImagePart]) -> Message:
    parts: list[Part] = [TextPart(new_part_id(), given.text), *images]
    return Message(new_message_id(), "user", now_rfc3339(), run_id, given.client_message_id, parts)
