"""Daily copies: whole, private, few, and never half."""

import sqlite3
import stat
from pathlib import Path

import anyio
import pytest

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.storage import backups, upkeep
from lararium_daemon.storage.backups import back_up, clear_unfinished, daily_copies
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal

pytestmark = pytest.mark.anyio

AT = "2026-11-30T12:00:00.000Z"


async def add(journal: Journal, seq: int) -> None:
    await journal.append(Batch(SessionId("ses_1"), [Entry(seq, AT, "notice", b"{}")]))


def events_in(copy: Path) -> int:
    database = sqlite3.connect(copy)
    count = database.execute("SELECT COUNT(*) FROM event").fetchone()[0]
    database.close()
    return int(count)


async def test_a_copy_is_whole_and_private_while_the_journal_is_written(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await add(journal, 1)
        copy = back_up(path, "2026-11-30")
        await add(journal, 2)
    assert copy is not None
    assert copy.name == "journal.db.daily-2026-11-30"
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert events_in(copy) == 1


async def test_there_is_one_copy_a_day_and_the_last_three_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path):
        days = [f"2026-11-{number}" for number in range(26, 31)]
        made = [back_up(path, day) for day in [*days, days[-1]]]
    assert made[-1] is None
    assert [each.name for each in daily_copies(path)] == [
        f"journal.db.daily-{day}" for day in days[-3:]
    ]


async def test_a_copy_that_was_cut_off_is_not_taken_for_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path):
        unfinished = tmp_path / "journal.db.daily-2026-11-29.tmp"
        unfinished.write_bytes(b"half")
        assert daily_copies(path) == []
        clear_unfinished(path)
        assert not unfinished.exists()


async def test_there_is_no_copy_where_there_is_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backups, "ROOM", 10**15)
    path = tmp_path / "journal.db"
    async with open_journal(path):
        assert back_up(path, "2026-11-30") is None
    assert daily_copies(path) == []


async def test_a_daemon_keeps_room_and_copies_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upkeep, "FIRST_SECONDS", 0.0)
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await add(journal, 1)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(upkeep.keep_up, path, journal.reserve)
                while not daily_copies(path):
                    await anyio.lowlevel.checkpoint()
                tasks.cancel_scope.cancel()
        assert (tmp_path / "reserve").exists()
