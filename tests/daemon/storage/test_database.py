"""The database file: damage is set aside and what reads is kept; versions go forward only."""

import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.storage.database import connect, create_private, migrate
from lararium_daemon.storage.journal import Batch, Entry, Journal, open_journal

pytestmark = pytest.mark.anyio

AT = "2026-11-30T12:00:00.000Z"
PAGE_BYTES = 4096


async def fill(path: Path, sessions: int = 4, events: int = 60) -> None:
    """Write sessions whose events lie mixed, so that each has pages all over the file."""
    async with open_journal(path) as journal:
        payload = b'{"text":"%s"}' % (b"x" * 300)
        for first in range(1, events + 1, 6):
            for number in range(sessions):
                entries = [Entry(seq, AT, "notice", payload) for seq in range(first, first + 6)]
                await journal.append(Batch(SessionId(f"ses_{number}"), entries))


async def kept(journal: Journal, sessions: int = 4) -> list[int]:
    """Give how many events each session has; they must go on from 1 without a hole."""
    counts: list[int] = []
    for number in range(sessions):
        seqs = [entry.seq for entry in await journal.read(SessionId(f"ses_{number}"))]
        assert seqs == list(range(1, len(seqs) + 1))
        counts.append(len(seqs))
    return counts


def destroy(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek(page * PAGE_BYTES)
        file.write(b"\xa5" * PAGE_BYTES)


async def test_the_file_is_private_and_durable(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    async with open_journal(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    connection = connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
    connection.close()


@pytest.mark.parametrize(
    "content", [b"not a database, but a letter to a friend " * 100, b"SQLite format 3\x00" * 400]
)
async def test_a_file_that_is_no_journal_is_set_aside_whole(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "journal.db"
    path.write_bytes(content)
    async with open_journal(path) as journal:
        assert await kept(journal) == [0, 0, 0, 0]
        (notice,) = journal.notices
        await journal.append(Batch(SessionId("ses_0"), [Entry(1, AT, "notice", b"{}")]))
    bad = tmp_path / notice.partition("set aside as ")[2].partition(";")[0]
    assert bad.read_bytes() == content


async def test_a_broken_page_costs_what_was_on_it_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path)
    pages = path.stat().st_size // PAGE_BYTES
    destroy(path, pages // 2)
    async with open_journal(path) as journal:
        assert journal.notices
        counts = await kept(journal)
        assert sum(counts) > 0
        assert "events could be read" in journal.notices[0]
    async with open_journal(path) as journal:
        assert journal.notices == []
        assert await kept(journal) == counts


async def test_a_broken_index_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path)
    for page in pages_of(path, "sqlite_autoindex_event_1"):
        destroy(path, page - 1)
    async with open_journal(path) as journal:
        assert journal.notices
        assert await kept(journal) == [60, 60, 60, 60]


async def test_a_broken_first_page_costs_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path)
    content = bytearray(path.read_bytes())
    for place in range(100, PAGE_BYTES):  # the names of all tables and where they begin
        content[place] ^= 0x55
    path.write_bytes(content)
    async with open_journal(path) as journal:
        assert journal.notices
        assert await kept(journal) == [60, 60, 60, 60]
    assert leftovers(tmp_path) == []


def leftovers(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.name.endswith((".head", ".new"))]


def pages_of(path: Path, name: str) -> list[int]:
    connection = connect(path)
    rows = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,))
    found = [int(row[0]) for row in rows]
    connection.close()
    return found


async def test_a_page_that_breaks_later_costs_its_session_what_was_on_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    await fill(path)
    async with open_journal(path) as journal:
        destroy(path, path.stat().st_size // PAGE_BYTES // 2)
        for number in range(4):
            seqs = [entry.seq for entry in await journal.read(SessionId(f"ses_{number}"))]
            assert seqs == sorted(seqs)
            assert seqs
        assert await journal.sessions() == []


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.floats(0, 1, exclude_max=True), noise=st.binary(min_size=1, max_size=64))
async def test_whatever_is_broken_the_daemon_starts(
    tmp_path_factory: pytest.TempPathFactory, place: float, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("damage") / "journal.db"
    await fill(path, events=6)
    with path.open("r+b") as file:
        file.seek(int(place * path.stat().st_size))
        file.write(noise)
    if is_marked_newer(path):
        return  # such a file is refused, not repaired
    async with open_journal(path) as journal:
        for number in range(4):
            await journal.read(SessionId(f"ses_{number}"))
        await journal.sessions()
        await journal.append(Batch(SessionId("ses_new"), [Entry(1, AT, "notice", b"{}")]))


def is_marked_newer(path: Path) -> bool:
    content = path.read_bytes()
    return content.startswith(b"SQLite format 3\x00") and content[60:64] > b"\0\0\0\1"


async def test_a_journal_that_cannot_be_opened_is_said(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    path.mkdir()
    with pytest.raises(LarariumError) as caught:
        async with open_journal(path):
            pass
    assert caught.value.code == "journal_unavailable"
    assert str(path) in caught.value.detail


async def test_a_journal_of_a_newer_version_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    create_private(path)
    connection = connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(LarariumError) as caught:
        async with open_journal(path):
            pass
    assert caught.value.code == "database_newer"
    assert path.read_bytes() == before


async def test_a_journal_of_an_older_version_is_copied_before_it_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    await fill(path, sessions=1, events=6)
    old = add_step(monkeypatch, "ALTER TABLE session ADD COLUMN more TEXT;")
    connection = connect(path)
    migrate(connection, path)
    assert connection.execute("PRAGMA user_version").fetchone() == (old + 1,)
    assert connection.execute("SELECT more FROM session").fetchall() == []
    connection.close()
    copy = sqlite3.connect(tmp_path / f"journal.db.version-{old}")
    assert copy.execute("SELECT COUNT(*) FROM event").fetchone() == (6,)
    copy.close()


async def test_a_step_that_fails_leaves_the_journal_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    await fill(path, sessions=1, events=6)
    step = "ALTER TABLE session ADD COLUMN more TEXT; SELECT 1 FROM nowhere;"
    old = add_step(monkeypatch, step)
    connection = connect(path)
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        migrate(connection, path)
    assert connection.execute("PRAGMA user_version").fetchone() == (old,)
    assert connection.execute("SELECT COUNT(*) FROM event").fetchone() == (6,)
    with pytest.raises(sqlite3.OperationalError, match="more"):
        connection.execute("SELECT more FROM session")
    connection.close()


def add_step(monkeypatch: pytest.MonkeyPatch, step: str) -> int:
    """Give the app one more step than it has; return the version before it."""
    from lararium_daemon.storage import database

    real: Callable[[], list[str]] = database._steps  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(database, "_steps", lambda: [*real(), step])
    return len(real())
