"""The manager: each message runs once, each run ends once, whatever happens in between."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.fakes.scripted_runner import (
    Gated,
    Script,
    ScriptedRunner,
    answer,
    begin_answer,
)

from lararium_daemon.protocol.api import MessageInput, SessionCreateInput, SessionPatchInput
from lararium_daemon.protocol.events import PartAppended, PartDelta, RunEnded, ToolStarted
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, SessionId, new_part_id
from lararium_daemon.protocol.messages import TextPart, ToolCallPart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions.manager import SessionManager, open_manager
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def manager_in(
    folder: Path, script: Script = answer, *, runs_at_once: int = 4
) -> AsyncGenerator[tuple[SessionManager, ScriptedRunner]]:
    runner = ScriptedRunner(script)
    with anyio.fail_after(20):
        async with (
            open_journal(folder / "journal.db") as journal,
            open_manager(
                journal,
                runner,
                "epoch",
                default_model=lambda: "model-of-the-profile",
                runs_at_once=runs_at_once,
            ) as manager,
        ):
            yield manager, runner


async def new_session(manager: SessionManager) -> Session:
    return await manager.library.create(SessionCreateInput())


def said(text: str, client_message_id: str = "client-1") -> MessageInput:
    return MessageInput(client_message_id=client_message_id, text=text)


async def until_idle(manager: SessionManager) -> None:
    with anyio.fail_after(5):
        while manager.places.taken or manager.places.waiting:
            await anyio.lowlevel.checkpoint()


def outcomes(session: Session) -> list[tuple[str | None, str]]:
    return [(run.outcome, run.code) for run in session.state.runs]


def texts(session: Session) -> list[str]:
    parts = [part for message in session.state.messages for part in message.parts]
    return [part.text for part in parts if isinstance(part, TextPart)]


async def test_a_message_runs_and_names_the_session(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, runner):
        session = await new_session(manager)
        given = MessageInput(
            client_message_id="c",
            text="\n Fix it\nplease",
            headless=True,
            allow=["Edit"],
            max_turns=3,
        )
        accepted = await manager.post_message(session.id, given)
        await until_idle(manager)
        assert accepted.run_id is not None
        assert not accepted.queued
        assert runner.requests == [
            RunRequest(accepted.run_id, accepted.message_id, True, ["Edit"], 3)
        ]
        assert outcomes(session) == [("completed", "")]
        assert texts(session) == ["\n Fix it\nplease", "Done."]
        assert session.state.title == "Fix it"
        assert session.state.runs[0].model == "model-of-the-profile"
        assert session.fold.clients["c"] == (accepted.message_id, accepted.seq)


async def test_a_message_that_comes_again_is_the_same_message(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, runner):
        session = await new_session(manager)
        accepted: list[object] = []

        async def post() -> None:
            accepted.append(await manager.post_message(session.id, said("Once")))

        async with anyio.create_task_group() as tasks:
            for _ in range(5):
                tasks.start_soon(post)
        await until_idle(manager)
        accepted.append(await manager.post_message(session.id, said("Once")))
        assert accepted == accepted[:1] * 6
        assert len(runner.requests) == 1
        with pytest.raises(LarariumError) as caught:
            await manager.post_message(session.id, said("Another text"))
        assert (caught.value.code, caught.value.status) == ("message_id_reused", 409)


async def test_a_message_that_comes_again_after_a_restart_is_the_same_message(
    tmp_path: Path,
) -> None:
    async with manager_in(tmp_path) as (manager, _):
        session = await new_session(manager)
        first = await manager.post_message(session.id, said("Once"))
        await until_idle(manager)
    async with manager_in(tmp_path) as (manager, runner):
        assert await manager.post_message(session.id, said("Once")) == first
        assert runner.requests == []


async def test_follow_ups_wait_in_order_and_run_one_after_the_other(tmp_path: Path) -> None:
    gate = Gated()
    async with manager_in(tmp_path, gate) as (manager, runner):
        session = await new_session(manager)
        first = await manager.post_message(session.id, said("One", "c1"))
        await gate.entered.wait()
        second = await manager.post_message(session.id, said("Two", "c2"))
        third = await manager.post_message(session.id, said("Three", "c3"))
        assert (second.run_id, second.queued, third.queued) == (None, True, True)
        assert await manager.post_message(session.id, said("Two", "c2")) == second
        assert list(session.fold.transcript.queued) == [second.message_id, third.message_id]
        gate.leave.set()
        await until_idle(manager)
        ids = [first.message_id, second.message_id, third.message_id]
        assert [request.message_id for request in runner.requests] == ids
        assert texts(session) == ["One", "Done.", "Two", "Done.", "Three", "Done."]
        again = await manager.post_message(session.id, said("Two", "c2"))
        assert (again.run_id, again.queued) == (runner.requests[1].run_id, False)


async def test_only_so_many_sessions_run_at_once_and_the_rest_waits(tmp_path: Path) -> None:
    gate = Gated()
    async with manager_in(tmp_path, gate, runs_at_once=2) as (manager, runner):
        sessions = [await new_session(manager) for _ in range(4)]
        accepted = [await manager.post_message(each.id, said("Go")) for each in sessions]
        assert [each.queued for each in accepted] == [False, False, True, True]
        assert (manager.places.taken, manager.places.waiting) == (2, 2)
        assert sessions[2].summary.activity == "queued"
        gate.leave.set()
        await until_idle(manager)
        assert [request.message_id for request in runner.requests] == [
            each.message_id for each in accepted
        ]


async def test_a_queued_message_can_be_taken_back_until_a_run_takes_it(tmp_path: Path) -> None:
    gate = Gated()
    async with manager_in(tmp_path, gate) as (manager, runner):
        session = await new_session(manager)
        first = await manager.post_message(session.id, said("One", "c1"))
        second = await manager.post_message(session.id, said("Two", "c2"))
        await manager.queue.remove(session.id, second.message_id)
        for message_id, code in (
            (first.message_id, "already_taken"),
            (second.message_id, "unknown_message"),
        ):
            with pytest.raises(LarariumError) as caught:
                await manager.queue.remove(session.id, message_id)
            assert caught.value.code == code
        with pytest.raises(LarariumError) as caught:
            await manager.post_message(session.id, said("Two", "c2"))
        assert caught.value.code == "message_removed"
        gate.leave.set()
        await until_idle(manager)
        assert len(runner.requests) == 1


async def test_an_interrupt_keeps_the_text_pairs_every_call_and_lets_the_next_begin(
    tmp_path: Path,
) -> None:
    entered = anyio.Event()

    async def script(session: Session, run: RunRequest) -> None:
        if entered.is_set():
            await answer(session, run)
            return
        message_id = await begin_answer(session, run)
        session.emit(PartDelta(message_id, PartId("prt_text"), "text", 0, "Half an ans"))
        for name in ("c1", "c2"):
            part = ToolCallPart(new_part_id(), CallId(name), "bash", {})
            await session.commit([PartAppended(message_id, part)])
        await session.commit([ToolStarted(run.run_id, CallId("c1"))])
        entered.set()
        await anyio.sleep_forever()

    async with manager_in(tmp_path, script) as (manager, _):
        session = await new_session(manager)
        await manager.post_message(session.id, said("Go", "c1"))
        await entered.wait()
        await manager.post_message(session.id, said("Next", "c2"))
        await manager.interrupt(session.id)
        assert outcomes(session)[0] == ("interrupted", "")
        assert {c.call_id: c.state for c in session.fold.transcript.calls.values()} == {
            "c1": "interrupted",
            "c2": "interrupted",
        }
        await until_idle(manager)
        assert texts(session) == ["Go", "Half an ans", "Next", "Done."]
        assert outcomes(session)[1] == ("completed", "")
        await manager.interrupt(session.id)
        assert len(session.state.runs) == 2


async def _break(session: Session, run: RunRequest) -> None:
    await begin_answer(session, run)
    raise ZeroDivisionError


async def _fail(session: Session, run: RunRequest) -> None:
    del session, run
    raise LarariumError("provider_auth", "The key was refused.", 502)


async def _return(session: Session, run: RunRequest) -> None:
    await begin_answer(session, run)


@pytest.mark.parametrize(
    ("script", "code"),
    [(_break, "internal"), (_fail, "provider_auth"), (_return, "internal")],
    ids=["a-bug", "a-known-error", "no-end"],
)
async def test_a_runner_that_breaks_ends_its_run_once_and_holds_the_queue(
    tmp_path: Path, script: Script, code: str
) -> None:
    gate = Gated()

    async def first_gated(session: Session, run: RunRequest) -> None:
        gate.entered.set()
        await gate.leave.wait()
        await script(session, run)

    async with manager_in(tmp_path, first_gated) as (manager, runner):
        session = await new_session(manager)
        await manager.post_message(session.id, said("One", "c1"))
        await gate.entered.wait()
        await manager.post_message(session.id, said("Two", "c2"))
        gate.leave.set()
        await until_idle(manager)
        assert outcomes(session) == [("error", code)]
        assert list(session.fold.transcript.queued)
        runner.script = answer
        await manager.post_message(session.id, said("Three", "c3"))
        await until_idle(manager)
        assert texts(session) == ["One", "Two", "Done.", "Three", "Done."]


async def test_a_run_ends_even_when_it_ended_before_its_runner_broke(tmp_path: Path) -> None:
    async def script(session: Session, run: RunRequest) -> None:
        await session.commit([RunEnded(run.run_id, "completed", 0)])
        raise ZeroDivisionError

    async with manager_in(tmp_path, script) as (manager, _):
        session = await new_session(manager)
        await manager.post_message(session.id, said("Go"))
        await until_idle(manager)
        assert outcomes(session) == [("completed", "")]


async def test_stopping_the_daemon_ends_its_runs(tmp_path: Path) -> None:
    gate = Gated()
    async with manager_in(tmp_path, gate) as (manager, _):
        session = await new_session(manager)
        await manager.post_message(session.id, said("One", "c1"))
        await gate.entered.wait()
        await manager.post_message(session.id, said("Two", "c2"))
    assert outcomes(session) == [("interrupted", "daemon_stopped")]
    async with manager_in(tmp_path) as (manager, _):
        await until_idle(manager)
        loaded = await manager.library.get(session.id)
        assert texts(loaded) == ["One", "Two", "Done."]


async def crash(
    folder: Path, script: Script, reached: anyio.Event, *messages: MessageInput
) -> SessionId:
    """Leave a journal as a daemon leaves it that is killed when `script` has `reached` a point."""
    async with manager_in(folder, script) as (manager, _):
        session = await new_session(manager)
        for message in messages:
            await manager.post_message(session.id, message)
        await reached.wait()
        manager.library.journal.close()  # what is said after this reaches nobody
        return session.id


async def test_a_run_that_a_crash_cut_is_said_so_and_not_begun_again(tmp_path: Path) -> None:
    written = tmp_path / "a.txt"
    started = anyio.Event()

    async def script(session: Session, run: RunRequest) -> None:
        message_id = await begin_answer(session, run)
        for name in ("shell", "edit", "never"):
            part = ToolCallPart(PartId(f"prt_{name}"), CallId(name), "bash", {}, title=name)
            await session.commit([PartAppended(message_id, part)])
        after = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
        await session.commit([
            ToolStarted(run.run_id, CallId("shell")),
            ToolStarted(run.run_id, CallId("edit"), "absent", after, str(written)),
        ])
        written.write_text("hello", encoding="utf-8")
        started.set()
        await anyio.sleep_forever()

    session_id = await crash(tmp_path, script, started, said("One", "c1"), said("Two", "c2"))
    async with manager_in(tmp_path) as (manager, runner):
        session = await manager.library.get(session_id)
        assert outcomes(session) == [("interrupted", "daemon_restarted")]
        calls = session.fold.transcript.calls
        assert {call_id: call.state for call_id, call in calls.items()} == {
            "shell": "interrupted",
            "edit": "completed",
            "never": "interrupted",
        }
        assert runner.requests == []
        assert list(session.fold.transcript.queued)
        await manager.post_message(session_id, said("Three", "c3"))
        await until_idle(manager)
        assert texts(session) == ["One", "Two", "Done.", "Three", "Done."]


async def test_a_session_whose_row_is_lost_is_listed_again(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, _):
        session = await new_session(manager)
        await manager.post_message(session.id, said("Hello"))
        await until_idle(manager)
        summary = session.summary
        journal = manager.library.journal
        await journal._writer.submit(  # pyright: ignore[reportPrivateUsage]
            lambda connection: (connection.execute("DELETE FROM session"), None)[1]
        )
    async with manager_in(tmp_path) as (manager, _):
        assert await manager.library.list(limit=10) == [summary]


async def test_a_deleted_session_is_stopped_and_gone(tmp_path: Path) -> None:
    gate = Gated()
    async with manager_in(tmp_path, gate) as (manager, _):
        session = await new_session(manager)
        await manager.post_message(session.id, said("One", "c1"))
        await manager.post_message(session.id, said("Two", "c2"))
        await gate.entered.wait()
        await manager.delete(session.id)
        assert manager.places.taken == 0
        assert await manager.library.list(limit=10) == []
        with pytest.raises(LarariumError) as caught:
            await manager.library.get(session.id)
        assert (caught.value.code, caught.value.status) == ("unknown_session", 404)


async def test_a_session_is_changed_by_what_is_given_alone(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, _):
        session = await new_session(manager)
        await manager.library.patch(
            session.id, SessionPatchInput(title="Named", model="large", pinned=True)
        )
        seq = session.state.seq
        await manager.library.patch(session.id, SessionPatchInput(title="Named"))
        assert session.state.seq == seq
        await manager.library.patch(session.id, SessionPatchInput(model=None, mode="plan"))
        state = session.state
        assert (state.title, state.model, state.mode, state.pinned) == ("Named", None, "plan", True)


async def test_a_session_that_somebody_holds_is_never_loaded_twice(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, _):
        first = await new_session(manager)
        for _ in range(20):
            await new_session(manager)
        assert await manager.library.get(first.id) is first


async def test_too_many_queued_messages_are_refused(tmp_path: Path) -> None:
    async with manager_in(tmp_path, Gated()) as (manager, _):
        session = await new_session(manager)
        for number in range(101):
            await manager.post_message(session.id, said("More", f"c{number}"))
        with pytest.raises(LarariumError) as caught:
            await manager.post_message(session.id, said("More", "one too many"))
        assert caught.value.code == "queue_full"


async def test_an_unknown_message_or_session_is_said(tmp_path: Path) -> None:
    async with manager_in(tmp_path) as (manager, _):
        with pytest.raises(LarariumError, match="no such session"):
            await manager.post_message(SessionId("ses_none"), said("Hello"))
        session = await new_session(manager)
        with pytest.raises(LarariumError, match="no such message"):
            await manager.queue.remove(session.id, MessageId("msg_none"))
