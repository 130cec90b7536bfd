"""A session: committed before shown, in one order, and no client misses or gets anything twice."""

import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest

from lararium_daemon.protocol.events import (
    MessageAppended,
    Notice,
    PartAppended,
    PartDelta,
    RunEnded,
    RunStarted,
    SessionUpdated,
)
from lararium_daemon.protocol.ids import MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import Message, TextPart
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import Journal, open_journal

pytestmark = pytest.mark.anyio

ID = SessionId("ses_1")
EPOCH = "epoch-1"
AT = "2026-11-30T12:00:00.000Z"
ANSWER = MessageId("msg_2")
PART = PartId("prt_1")


@asynccontextmanager
async def session_in(folder: Path) -> AsyncGenerator[tuple[Session, Journal, list[SessionSummary]]]:
    rows: list[SessionSummary] = []
    async with open_journal(folder / "journal.db") as journal:
        session = Session(fresh(ID), Row(ID), journal, EPOCH, on_row=rows.append, now=lambda: AT)
        yield session, journal, rows


def note(text: str) -> Notice:
    return Notice("info", "note", text)


def delta(offset: int, text: str) -> PartDelta:
    return PartDelta(ANSWER, PART, "text", offset, text)


async def begin(session: Session) -> None:
    asked = Message(MessageId("msg_1"), "user", AT, RunId("run_1"))
    await session.commit([
        SessionUpdated("Title", "default", None),
        MessageAppended(asked),
        RunStarted(RunId("run_1"), asked.message_id, "m", "default"),
        MessageAppended(Message(ANSWER, "assistant", AT, RunId("run_1"))),
    ])


def taken(feed: Feed) -> list[Any]:
    return [orjson.loads(each.data) for each in feed.take()]


async def test_events_get_consecutive_numbers_and_are_in_the_journal(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, journal, rows):
        assert await session.commit([note("a"), note("b")]) == 2
        assert await session.commit([note("c")]) == 3
        assert await session.commit([]) == 3
        assert [entry.seq for entry in await journal.read(ID)] == [1, 2, 3]
        assert rows == []


async def test_a_changed_row_is_stored_with_its_events_and_shown(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, journal, rows):
        await begin(session)
        assert rows == await journal.sessions() == [session.summary]
        assert session.summary.activity == "running"
        await session.commit([note("nothing that the row shows")])
        assert len(rows) == 1


async def test_an_event_is_shown_after_its_commit_and_volatile_ones_keep_their_place(
    tmp_path: Path,
) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await begin(session)
        feed = Feed(EPOCH)
        session.follow(feed, session.state.seq, EPOCH)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(session.commit, [PartAppended(ANSWER, TextPart(PART, "Hello"))])
            await anyio.wait_all_tasks_blocked()
            session.emit(delta(5, ", you"))
            assert feed.take() == []
        events = taken(feed)
        assert [event["type"] for event in events] == ["part.appended", "part.delta"]
        assert session.state.messages[-1].parts == [TextPart(PART, "Hello, you")]


async def test_a_cancelled_commit_that_was_begun_is_shown_like_any_other(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, journal, _):
        feed = Feed(EPOCH)
        session.follow(feed, 0, EPOCH)
        disk = threading.Event()
        scope = anyio.CancelScope()

        async def slow_disk() -> None:
            await journal._writer.submit(  # pyright: ignore[reportPrivateUsage]
                lambda _: (disk.wait(10), None)[1]
            )

        async def commit() -> None:
            with scope:
                await session.commit([note("kept")])
                await anyio.lowlevel.checkpoint()

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(slow_disk)
            tasks.start_soon(commit)
            await anyio.wait_all_tasks_blocked()
            scope.cancel()
            disk.set()
        assert scope.cancelled_caught
        assert len(await journal.read(ID)) == session.state.seq == len(taken(feed)) == 1


async def test_a_commit_that_fails_leaves_no_trace(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, journal, rows):
        await begin(session)
        before = orjson.dumps(session.state)
        feed = Feed(EPOCH)
        session.follow(feed, session.state.seq, EPOCH)
        journal.close()
        with pytest.raises(LarariumError, match="closed"):
            await session.commit([RunEnded(RunId("run_1"), "completed", 0)])
        assert orjson.dumps(session.state) == before
        assert feed.take() == []
        assert rows[-1].activity == session.summary.activity == "running"


async def test_a_client_that_comes_back_gets_what_it_missed_and_then_what_follows(
    tmp_path: Path,
) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await session.commit([note("a"), note("b"), note("c")])
        feed = Feed(EPOCH)
        session.follow(feed, 1, EPOCH)
        await session.commit([note("d")])
        replay, live = taken(feed)
        assert (replay["type"], replay["session_id"]) == ("replay", ID)
        assert [event["payload"]["text"] for event in replay["events"]] == ["b", "c"]
        assert (live["seq"], live["payload"]["text"], live["epoch"]) == (4, "d", EPOCH)


@pytest.mark.parametrize(
    ("after_seq", "epoch"),
    [(1, "another epoch"), (1, ""), (9, EPOCH)],
    ids=["other-epoch", "no-epoch", "beyond-the-end"],
)
async def test_a_client_whose_place_is_not_known_gets_a_snapshot(
    tmp_path: Path, after_seq: int, epoch: str
) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await session.commit([note("a"), note("b"), note("c")])
        feed = Feed(EPOCH)
        session.follow(feed, after_seq, epoch)
        (snapshot,) = taken(feed)
        assert (snapshot["type"], snapshot["seq"], snapshot["epoch"]) == ("snapshot", 3, EPOCH)
        assert [notice["text"] for notice in snapshot["state"]["notices"]] == ["a", "b", "c"]


async def test_a_client_that_misses_nothing_gets_nothing(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await session.commit([note("a")])
        feed = Feed(EPOCH)
        session.follow(feed, 1, EPOCH)
        assert feed.take() == []


async def test_a_client_that_comes_back_in_the_middle_of_a_text_gets_a_snapshot(
    tmp_path: Path,
) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await begin(session)
        session.emit(delta(0, "Hel"))
        feed = Feed(EPOCH)
        session.follow(feed, session.state.seq, EPOCH)
        session.emit(delta(3, "lo"))
        snapshot, live = taken(feed)
        assert snapshot["state"]["messages"][-1]["parts"][0]["text"] == "Hel"
        assert (live["payload"]["offset"], live["payload"]["text"]) == (3, "lo")


async def test_a_program_that_follows_live_gets_the_text_no_durable_event_has_said(
    tmp_path: Path,
) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await begin(session)
        await session.commit([PartAppended(ANSWER, TextPart(PART, "Hel"))])
        session.emit(delta(3, "lo"))
        feed = Feed(EPOCH)
        assert session.follow_live(feed) == 5
        session.emit(delta(5, "!"))
        (event,) = taken(feed)
        assert (event["payload"]["offset"], event["payload"]["text"]) == (3, "lo!")


async def test_events_that_left_the_ring_are_replaced_by_a_snapshot(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await session.commit([note("x" * 1_500_000)])
        await session.commit([note("x" * 1_500_000)])
        await session.commit([note("x" * 1_500_000)])
        feed = Feed(EPOCH)
        session.follow(feed, 0, EPOCH)
        assert [orjson.loads(each.data)["type"] for each in feed.take()] == ["snapshot"]


async def test_a_slow_client_is_left_behind_and_told(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, _, _):
        slow, quick = Feed(EPOCH, max_items=2), Feed(EPOCH)
        session.follow(slow, 0, EPOCH)
        session.follow(quick, 0, EPOCH)
        for number in range(5):
            await session.commit([note(str(number))])
        assert [each.kind for each in slow.take()] == ["resync"]
        assert len(quick.take()) == 5
        session.follow(slow, 0, EPOCH)
        (replay,) = taken(slow)
        assert len(replay["events"]) == 5


async def test_text_beyond_a_hole_is_refused(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, _, _):
        await begin(session)
        with pytest.raises(ValueError, match="text is missing"):
            session.emit(delta(3, "lo"))


async def test_a_deleted_session_takes_no_more_events(tmp_path: Path) -> None:
    async with session_in(tmp_path) as (session, _, _):
        feed = Feed(EPOCH)
        session.follow(feed, 0, EPOCH)
        session.disband()
        assert [each.kind for each in feed.take()] == ["resync"]
        with pytest.raises(LarariumError, match="no such session"):
            await session.commit([note("late")])
