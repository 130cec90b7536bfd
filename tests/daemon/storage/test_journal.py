"""The journal: what was acknowledged is there, in order, after whatever happened."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.state import SessionSummary
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal

pytestmark = pytest.mark.anyio

ONE = SessionId("ses_1")
TWO = SessionId("ses_2")
AT = "2026-11-30T12:00:00.000Z"


def row(session_id: SessionId, updated_at: str = AT, archived: bool = False) -> SessionSummary:
    return SessionSummary(
        id=session_id,
        title="A title",
        mode="default",
        model=None,
        archived=archived,
        pinned=False,
        created_at=AT,
        updated_at=updated_at,
        activity="idle",
        fact="",
        last_outcome=None,
        message_count=0,
    )


def batch(session_id: SessionId, *seqs: int, summary: SessionSummary | None = None) -> Batch:
    entries = [Entry(seq, AT, "notice", b'{"text":"%d"}' % seq) for seq in seqs]
    return Batch(session_id, entries, summary)


async def test_what_was_appended_is_read_back_in_order(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.append(batch(ONE, 1, 2, 3))
        await journal.append(batch(TWO, 1))
        await journal.append(batch(ONE, 4))
        assert [entry.seq for entry in await journal.read(ONE)] == [1, 2, 3, 4]
        assert await journal.read(ONE, after_seq=2, limit=1) == [
            Entry(3, AT, "notice", b'{"text":"3"}')
        ]
        assert await journal.read(SessionId("ses_unknown")) == []


async def test_events_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.append(batch(ONE, 1, 2, summary=row(ONE)))
    async with open_journal(path) as journal:
        assert len(await journal.read(ONE)) == 2
        assert await journal.sessions() == [row(ONE)]
        assert journal.notices == []


async def test_many_sessions_at_once_are_all_committed(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:

        async def work(session_id: SessionId) -> None:
            for seq in range(1, 21):
                await journal.append(batch(session_id, seq))

        ids = [SessionId(f"ses_{number}") for number in range(10)]
        async with anyio.create_task_group() as tasks:
            for session_id in ids:
                tasks.start_soon(work, session_id)
        for session_id in ids:
            assert [entry.seq for entry in await journal.read(session_id)] == list(range(1, 21))


async def test_a_batch_that_fails_takes_no_other_with_it(tmp_path: Path) -> None:
    failed: list[str] = []
    async with open_journal(tmp_path / "journal.db") as journal:
        await journal.append(batch(ONE, 1))

        async def write(one: Batch) -> None:
            try:
                await journal.append(one)
            except LarariumError as error:
                failed.append(error.code)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write, batch(TWO, 1))
            tasks.start_soon(write, batch(ONE, 2, 1))
            tasks.start_soon(write, batch(TWO, 2))
        assert failed == ["storage_failed"]
        assert [entry.seq for entry in await journal.read(ONE)] == [1]
        assert [entry.seq for entry in await journal.read(TWO)] == [1, 2]


async def test_a_full_disk_is_said_and_the_journal_works_again_once_there_is_room(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.append(batch(ONE, 1))
        _limit_pages(journal, 20)
        with pytest.raises(LarariumError) as caught:
            await journal.append(Batch(ONE, [Entry(2, AT, "notice", b"x" * 1_000_000)]))
        assert (caught.value.code, caught.value.status) == ("storage_full", 507)
        assert [entry.seq for entry in await journal.read(ONE)] == [1]
        _limit_pages(journal, 1_000_000)
        await journal.append(batch(ONE, 2))
        assert [entry.seq for entry in await journal.read(ONE)] == [1, 2]


def _limit_pages(journal: Journal, pages: int) -> None:
    # SQLite's own limit answers SQLITE_FULL, as a full disk does.
    connection = journal._writer._connection  # pyright: ignore[reportPrivateUsage]
    connection.execute(f"PRAGMA max_page_count = {pages}")


async def test_the_list_is_newest_first_in_pages_and_without_archived_sessions(
    tmp_path: Path,
) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        for number in range(5):
            session_id = SessionId(f"ses_{number}")
            at = f"2026-11-30T12:00:0{number // 2}.000Z"
            archived = number == 2
            await journal.append(batch(session_id, 1, summary=row(session_id, at, archived)))
        first = await journal.sessions(limit=2)
        assert [each.id for each in first] == ["ses_4", "ses_3"]
        rest = await journal.sessions(limit=9, before=(first[-1].updated_at, first[-1].id))
        assert [each.id for each in rest] == ["ses_1", "ses_0"]
        assert [each.id for each in await journal.sessions(archived=True)] == ["ses_2"]
        assert await journal.session_count() == 5


async def test_a_deleted_session_is_gone_and_its_position_is_not_used_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path) as journal:
        await journal.append(batch(ONE, 1, summary=row(ONE)))
        await journal.delete(ONE)
        assert await journal.read(ONE) == []
        assert await journal.sessions() == []
        await journal.append(batch(TWO, 1))
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT position FROM event").fetchall() == [(2,)]
    connection.close()


async def test_a_closed_journal_refuses(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        pass
    with pytest.raises(LarariumError, match="closed"):
        await journal.append(batch(ONE, 1))


KILLED = """
import sys
from functools import partial
from pathlib import Path
import anyio
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.storage.journal import Batch, Entry, open_journal

async def main():
    async with open_journal(Path(sys.argv[1])) as journal:
        for seq in range(1, 1_000_000):
            await journal.append(Batch(SessionId("ses_1"), [Entry(seq, "", "notice", b"{}")]))
            print(seq, flush=True)

anyio.run(main)
"""


async def test_what_was_acknowledged_before_a_kill_is_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    acknowledged = await anyio.to_thread.run_sync(_kill_a_writer, path)
    async with open_journal(path) as journal:
        seqs = [entry.seq for entry in await journal.read(ONE)]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= acknowledged >= 50
        assert journal.notices == []


def _kill_a_writer(path: Path) -> int:
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    seen = 0
    with child:
        for line in child.stdout:
            seen = int(line)
            if seen == 50:
                child.kill()
    return seen
