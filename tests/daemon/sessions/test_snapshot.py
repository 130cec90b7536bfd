"""A snapshot and the events after it give what all the events give."""

import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import anyio
import orjson
import pytest
from anyio import to_thread
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.session_writer import AT, SessionWriter

from lararium_daemon.protocol.events import Event, Notice, SessionUpdated
from lararium_daemon.protocol.ids import MessageId, SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.sessions import snapshot
from lararium_daemon.sessions.fold import Fold, fresh
from lararium_daemon.sessions.library import SessionLibrary
from lararium_daemon.sessions.loading import load
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import Journal, open_journal

ID = SessionId("ses_1")
Step = Literal[
    "delta", "flush", "call", "result", "run", "queue", "unqueue", "take", "todo", "rest"
]
STEPS: tuple[Step, ...] = (
    "delta", "flush", "call", "result", "run", "queue", "unqueue", "take", "todo", "rest"
)  # fmt: skip


@asynccontextmanager
async def session_in(folder: Path) -> AsyncGenerator[tuple[Journal, Session]]:
    async with open_journal(folder / "journal.db") as journal:
        session = Session(fresh(ID), Row(ID), journal, "epoch", now=lambda: AT)
        await session.commit([SessionUpdated("Title", "default", None)])
        yield journal, session


def facts(fold: Fold, row: Row) -> dict[str, object]:
    """Everything that a later event may build on."""
    texts = fold.transcript
    return {
        "state": fold.state,
        "counts": fold.counts(),
        "intents": fold.intents,
        "open_turn": fold.open_turn,
        "clients": fold.clients,
        "calls": texts.calls,
        "queued": texts.queued,
        "undurable": texts.undurable(),
        "row": row.summary(),
        "attention": row.attention.open,
    }


async def loaded(journal: Journal, *, afresh: bool) -> dict[str, object]:
    stored = None if afresh else await journal.snapshot(ID, snapshot.STAMP)
    entries = await journal.read(ID, stored.seq if stored else 0)
    return facts(*await to_thread.run_sync(load, ID, entries, stored))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(STEPS), max_size=40))
def test_a_snapshot_and_what_came_after_it_give_the_same_session(script: list[Step]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "MIN_EVENTS", 1)
        anyio.run(_play, script)


async def _play(script: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with session_in(Path(folder)) as (journal, session):
            writer = SessionWriter(session)
            await writer.run()
            for step in script:
                await _do(step, writer)
            assert await loaded(journal, afresh=False) == await loaded(journal, afresh=True)
            await writer.rest()
            assert await loaded(journal, afresh=False) == await loaded(journal, afresh=True)


async def _do(step: Step, writer: SessionWriter) -> None:
    if step == "delta":
        writer.delta("a😀")
        return
    acts: dict[str, Callable[[], Awaitable[None]]] = {
        "flush": writer.flush,
        "call": writer.call,
        "result": writer.result,
        "run": writer.run,
        "queue": writer.queue,
        "unqueue": writer.unqueue,
        "take": writer.take,
        "todo": writer.todo,
        "rest": writer.rest,
    }
    await acts[step]()


@pytest.mark.anyio
async def test_only_what_has_changed_is_written_again(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (_, session):
        writer = SessionWriter(session)
        for _ in range(5):
            await writer.run()
        await writer.rest()
        first = snapshot.take_snapshot(session.fold, Row(ID))
        assert (first.first_place, len(first.messages)) == (0, 10)
        await writer.run()
        writer.delta("new")
        await writer.rest()
        second = snapshot.take_snapshot(session.fold, Row(ID))
        assert (second.first_place, len(second.messages)) == (10, 2)


@pytest.mark.anyio
async def test_pages_of_a_session_are_the_same_whether_it_is_loaded_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MIN_EVENTS", 1)
    async with session_in(tmp_path) as (journal, session):
        writer = SessionWriter(session)
        for _ in range(6):
            await writer.run()
        await writer.rest()
        cold, warm = SessionLibrary(journal, "epoch"), SessionLibrary(journal, "epoch")
        await warm.get(ID)
        cursor: MessageId | None = None
        ids: list[str] = []
        for _ in range(3):
            there = orjson.dumps(await cold.message_page(ID, cursor, 5))
            here = await warm.message_page(ID, cursor, 5)
            assert there == orjson.dumps(here)
            cursor = here.next_cursor
            ids = [each["message_id"] for each in orjson.loads(there)["items"]] + ids
        assert cursor is None
        assert ids == [message.message_id for message in session.state.messages]
        with pytest.raises(LarariumError) as caught:
            await cold.message_page(ID, MessageId("msg_none"), 5)
        assert caught.value.code == "invalid_cursor"


@pytest.mark.anyio
async def test_a_page_is_never_older_than_the_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with session_in(tmp_path) as (journal, session):
        monkeypatch.setattr(snapshot, "MIN_EVENTS", 1)
        writer = SessionWriter(session)
        await writer.run()
        await writer.rest()
        monkeypatch.setattr(snapshot, "MIN_EVENTS", 100)
        await writer.run()
        page = await SessionLibrary(journal, "epoch").message_page(ID, None, 100)
        assert len(page.items) == 4


@pytest.mark.anyio
async def test_a_snapshot_that_cannot_be_read_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MIN_EVENTS", 1)
    async with session_in(tmp_path) as (journal, session):
        writer = SessionWriter(session)
        await writer.run()
        await writer.rest()
        kept = snapshot.take_snapshot(session.fold, Row(ID))
        journal.keep_snapshot(
            snapshot.Snapshot(ID, kept.seq, kept.stamp, b"{}", 0, [(MessageId("m"), b"no json")])
        )
        assert (await SessionLibrary(journal, "epoch").get(ID)).state == session.state


@pytest.mark.anyio
async def test_other_code_folds_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MIN_EVENTS", 1)
    async with session_in(tmp_path) as (journal, session):
        events: list[Event] = [Notice("info", "n", "n")]
        await session.commit(events)
        assert await journal.snapshot(ID, snapshot.STAMP) is not None
        assert await journal.snapshot(ID, "0.0.9 1") is None


@pytest.mark.anyio
async def test_a_deleted_session_leaves_no_snapshot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot, "MIN_EVENTS", 1)
    async with session_in(tmp_path) as (journal, session):
        await session.commit([Notice("info", "n", "n")])
        await journal.delete(ID)
        assert await journal.snapshot(ID, snapshot.STAMP) is None
