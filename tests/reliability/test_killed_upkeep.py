"""Killed in a migration, a daily copy, an export: what was there before is there, whole.

Rows 13 and 15 of the crash matrix. They are over too soon to be hit at random, so these kills are
aimed: one at each of many steps.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fakes.session_writer import AT, SessionWriter
from tests.reliability.scale import FULL, report, scaled

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions.fold import fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.backups import back_up, clear_unfinished, daily_copies
from lararium_daemon.storage.database import connect, first_schema, migrate
from lararium_daemon.storage.journal import open_journal
from lararium_daemon.terminal.session_file import read_about, read_file, write_file

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="it forks"),
    pytest.mark.anyio,
]

TIMES = scaled(12, 60)
LEAST = 20
"""How many kills must have fallen into each kind of work when all are done."""
ROOT = Path(__file__).resolve().parents[2]
EVENTS = 30
_EVENT = "INSERT INTO event (session_id, seq, at, type, payload) VALUES ('ses_1', ?, ?, 'x', '{}')"


def kill_in(kind: str, folder: Path) -> None:
    command = [sys.executable, "-m", "tests.fakes.killed_upkeep", kind, str(folder), str(TIMES)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    counts = json.loads(done.stdout)
    report(f"{kind}: {counts['killed']} killed in it, {counts['done']} were done before")
    assert counts["killed"] > (LEAST if FULL else 0)


def copies_of(source: Path, folder: Path) -> list[Path]:
    """Put what lies in a folder into one for each time."""
    for number in range(TIMES):
        shutil.copytree(source, folder / str(number))
    return [folder / str(number) for number in range(TIMES)]


def whole(path: Path) -> int:
    """See that a database is sound; give how many events it has."""
    database = connect(path)
    try:
        assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        return int(database.execute("SELECT COUNT(*) FROM event").fetchone()[0])
    finally:
        database.close()


async def test_a_killed_migration_is_undone_and_done_again(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    path = tmp_path / "first" / "journal.db"
    old = sqlite3.connect(path)
    old.executescript(first_schema() + "\nPRAGMA user_version = 1;")
    old.executemany(_EVENT, [(seq, AT) for seq in range(1, EVENTS + 1)])
    old.commit()
    old.close()
    folders = copies_of(path.parent, tmp_path)
    kill_in("migration", tmp_path)
    for folder in folders:
        assert whole(folder / "journal.db") == EVENTS
        connection = connect(folder / "journal.db")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        migrate(connection, folder / "journal.db")
        assert version in {1, connection.execute("PRAGMA user_version").fetchone()[0]}
        connection.close()
        async with open_journal(folder / "journal.db") as journal:
            assert len(await journal.read(SessionId("ses_1"))) == EVENTS
        assert whole(folder / "journal.db.version-1") == EVENTS


async def test_a_killed_copy_leaves_nothing_and_the_journal_whole(tmp_path: Path) -> None:
    session_id = SessionId("ses_1")
    (tmp_path / "first").mkdir()
    async with open_journal(tmp_path / "first" / "journal.db") as journal:
        session = Session(fresh(session_id), Row(session_id), journal, "epoch", now=lambda: AT)
        for _ in range(EVENTS):
            await SessionWriter(session).run()
    events = whole(tmp_path / "first" / "journal.db")
    folders = copies_of(tmp_path / "first", tmp_path)
    kill_in("copy", tmp_path)
    for folder in folders:
        path = folder / "journal.db"
        assert whole(path) == events
        for copy in daily_copies(path):
            assert whole(copy) == events
        clear_unfinished(path)
        assert not list(folder.glob("*.tmp*"))
        assert back_up(path, "2026-12-01") is not None


async def test_a_killed_export_leaves_the_file_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "first").mkdir()
    before = [{"role": "user", "content": "as it was", "number": 0}]
    write_file(tmp_path / "first" / "session.jsonl", iter(before), {"number": "first"})
    folders = copies_of(tmp_path / "first", tmp_path)
    kill_in("export", tmp_path)
    for folder in folders:
        path = folder / "session.jsonl"
        assert len(read_file(path).messages) == 1
        assert read_about(path) == {"number": "first"}
        write_file(path, iter(before), {"number": "again"})
        assert sorted(each.name for each in folder.iterdir()) == [
            "session.jsonl",
            "session.meta.json",
        ]
