"""P9: what a round's commit costs, beside a bare commit of as many rows with `synchronous=FULL`."""

import sqlite3
import tempfile
import time
from pathlib import Path

import anyio
from tests.bench.figures import Figure, in_pairs, median

from lararium_daemon.protocol.events import Event, PartAppended, ToolStarted, TurnEnded
from lararium_daemon.protocol.ids import CallId, MessageId, PartId, RunId, SessionId
from lararium_daemon.protocol.messages import TextPart, ToolCallPart
from lararium_daemon.sessions.fold import fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal

COMMITS = 200
REPEATS = 7
RUN, ANSWER = RunId("run_1"), MessageId("msg_1")
TEXT = "x" * 900


def commit() -> list[Figure]:
    """Measure it: answer, call, end of the turn and intent in one transaction."""
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = in_pairs(
            lambda: anyio.run(_ours, Path(folder)), lambda: _bare(Path(folder)), REPEATS
        )
    allowed = 2 * bare + 1.0
    what = f"a round's commit / two bare FULL commits ({bare:.2f} ms each) + 1 ms"
    return [Figure("P9", what, ours, allowed, "ms", 1.0)]


async def _ours(folder: Path) -> float:
    async with open_journal(folder / "ours.db") as journal:
        session_id = SessionId(f"ses_{time.monotonic_ns()}")
        session = Session(fresh(session_id), Row(session_id), journal, "epoch")
        spent: list[float] = []
        for number in range(COMMITS):
            events = _events(number)
            begun = time.perf_counter()
            await session.commit(events)
            spent.append(time.perf_counter() - begun)
    return median(spent) * 1000


def _events(number: int) -> list[Event]:
    call_id = CallId(f"call_{number}")
    call = ToolCallPart(PartId(f"prt_c{number}"), call_id, "bash", {"command": TEXT})
    return [
        PartAppended(ANSWER, TextPart(PartId(f"prt_t{number}"), TEXT)),
        PartAppended(ANSWER, call),
        TurnEnded(RUN, number, ANSWER, "tool_calls"),
        ToolStarted(RUN, call_id),
    ]


def _bare(folder: Path) -> float:
    database = sqlite3.connect(folder / "bare.db", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE IF NOT EXISTS event (id INTEGER PRIMARY KEY, payload BLOB)")
    spent: list[float] = []
    for _ in range(COMMITS):
        begun = time.perf_counter()
        database.execute("BEGIN")
        for _ in range(4):
            database.execute("INSERT INTO event (payload) VALUES (?)", (TEXT.encode(),))
        database.execute("COMMIT")
        spent.append(time.perf_counter() - begun)
    database.close()
    return median(spent) * 1000
