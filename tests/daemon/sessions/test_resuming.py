"""After a cut: what waited for the person waits on, the rest is settled and can be resumed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.fakes.scripted_runner import Script, ScriptedRunner, answer, begin_answer

from lararium_daemon.protocol.api import MessageInput, SessionCreateInput
from lararium_daemon.protocol.events import (
    PartAppended,
    PermissionRequested,
    PermissionResolved,
    RunEnded,
    ToolStarted,
    TurnEnded,
)
from lararium_daemon.protocol.ids import CallId, PartId, RequestId
from lararium_daemon.protocol.messages import ToolCallPart
from lararium_daemon.protocol.permissions import PermissionRequest
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.manager import SessionManager, open_manager
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal

pytestmark = pytest.mark.anyio

CALL = CallId("call_1")


@asynccontextmanager
async def manager_in(
    folder: Path, script: Script = answer, *, runs_at_once: int = 4
) -> AsyncGenerator[tuple[SessionManager, ScriptedRunner]]:
    runner = ScriptedRunner(script)
    with anyio.fail_after(20):
        async with (
            open_journal(folder / "journal.db") as journal,
            open_manager(
                journal, runner, "epoch", default_model=lambda: "m", runs_at_once=runs_at_once
            ) as manager,
        ):
            yield manager, runner


async def until_idle(manager: SessionManager) -> None:
    with anyio.fail_after(5):
        while manager.places.taken or manager.places.waiting:
            await anyio.lowlevel.checkpoint()


async def ask(session: Session, run: RunRequest) -> None:
    """Ask the person and wait; after a restart, take the answer as given."""
    if run.goes_on:
        [request] = session.state.requests
        await session.commit([
            PermissionResolved(request.id, "allow", "once", "person"),
            RunEnded(run.run_id, "completed", 0),
        ])
        return
    message_id = await begin_answer(session, run)
    request = PermissionRequest(
        RequestId("ask_1"), session.id, run.run_id, CALL, "bash", "Run?", "", {}, "", "", [], ""
    )
    await session.commit([
        PartAppended(message_id, ToolCallPart(PartId("p"), CALL, "bash", {})),
        TurnEnded(run.run_id, 1, message_id, "tool_calls"),
        PermissionRequested(request),
    ])
    await anyio.sleep_forever()


async def begin(manager: SessionManager) -> Session:
    session = await manager.library.create(SessionCreateInput())
    await manager.post_message(session.id, MessageInput(client_message_id="c", text="Go"))
    return session


async def test_a_run_that_waits_for_the_person_waits_on_after_a_stop(tmp_path: Path) -> None:
    async with manager_in(tmp_path, ask) as (manager, _):
        session = await begin(manager)
        with anyio.fail_after(5):
            while not session.state.requests:
                await anyio.lowlevel.checkpoint()
        last = session.state.seq
    async with manager_in(tmp_path, ask) as (manager, runner):
        loaded = await manager.library.get(session.id)
        assert loaded.state.seq == last
        await until_idle(manager)
        [request] = runner.requests
        run = loaded.state.runs[-1]
        assert (request.run_id, request.goes_on) == (run.run_id, True)
        assert (run.outcome, run.code) == ("completed", "")


async def test_a_person_may_interrupt_what_waits(tmp_path: Path) -> None:
    async with manager_in(tmp_path, ask) as (manager, _):
        session = await begin(manager)
        with anyio.fail_after(5):
            while not session.state.requests:
                await anyio.lowlevel.checkpoint()
        await manager.interrupt(session.id)
        assert session.state.requests == []
        assert session.state.runs[-1].outcome == "interrupted"


async def call_and_hang(session: Session, run: RunRequest) -> None:
    """Start a call that does not end; a run that is told what was done just answers."""
    if len(session.state.runs) > 0:
        await answer(session, run, "On.")
        return
    message_id = await begin_answer(session, run)
    await session.commit([
        PartAppended(message_id, ToolCallPart(PartId("p"), CALL, "bash", {})),
        TurnEnded(run.run_id, 1, message_id, "tool_calls"),
        ToolStarted(run.run_id, CALL),
    ])
    await anyio.sleep_forever()


async def test_a_run_that_was_cut_can_be_resumed_in_a_new_run(tmp_path: Path) -> None:
    async with manager_in(tmp_path, call_and_hang) as (manager, _):
        session = await begin(manager)
        with anyio.fail_after(5):
            while not session.fold.intents:
                await anyio.lowlevel.checkpoint()
    async with manager_in(tmp_path, call_and_hang) as (manager, runner):
        session = await manager.library.get(session.id)
        assert runner.requests == []
        accepted = await manager.resume(session.id)
        await until_idle(manager)
        assert [(run.outcome, run.message_id) for run in session.state.runs] == [
            ("interrupted", accepted.message_id),
            ("completed", accepted.message_id),
        ]
        assert [m.role for m in session.state.messages] == ["user", "assistant", "assistant"]


async def test_there_is_nothing_to_resume_where_nothing_was_cut(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, _):
        empty = await manager.library.create(SessionCreateInput())
        whole = await begin(manager)
        await until_idle(manager)
        for session in (empty, whole):
            with pytest.raises(LarariumError) as caught:
                await manager.resume(session.id)
            assert caught.value.code == "nothing_to_resume"


async def test_a_run_that_goes_on_is_not_resumed(tmp_path: Path) -> None:
    async with manager_in(tmp_path, ask) as (manager, _):
        session = await begin(manager)
        with pytest.raises(LarariumError) as caught:
            await manager.resume(session.id)
        assert caught.value.code == "nothing_to_resume"


async def test_resuming_takes_a_place_like_any_run(tmp_path: Path) -> None:
    async with manager_in(tmp_path, call_and_hang) as (manager, _):
        cut = await begin(manager)
    async with manager_in(tmp_path, ask, runs_at_once=1) as (manager, _):
        await begin(manager)
        with pytest.raises(LarariumError) as caught:
            await manager.resume(cut.id)
        assert caught.value.code == "too_many_runs"
