"""Kill a migration, a daily copy and an export of a session in the middle: a program for tests.

`python -m tests.fakes.killed_upkeep KIND FOLDER TIMES`: each time a child does the work and is
killed a little later than the one before it, at a step of SQLite's or a line of the file. Prints,
as JSON, how many were killed and how many were done before that.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from lararium_daemon.storage import backups
from lararium_daemon.storage.backups import back_up
from lararium_daemon.storage.database import connect, migrate
from lararium_daemon.terminal.session_file import write_file

MESSAGES = 40
"""Lines of the file that is exported."""
STEPS_BETWEEN_LOOKS = 5
MIGRATION_STEPS = 1_570
COPY_STEPS = 3_300
"""Of SQLite's machine, in all; about, so a few of the last kills may come too late."""


def end_at_once() -> int:
    """Be killed."""
    os.kill(os.getpid(), signal.SIGKILL)
    return 1


def killed_after(steps: int, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Let a connection's process be killed after so many of SQLite's steps, five at a time."""
    left = [steps // STEPS_BETWEEN_LOOKS]

    def look() -> int:
        left[0] -= 1
        return end_at_once() if left[0] < 0 else 0

    connection.set_progress_handler(look, STEPS_BETWEEN_LOOKS)
    return connection


def migration(folder: Path, share: float) -> None:
    """Bring a journal of the first version up to date."""
    path = folder / "journal.db"
    migrate(killed_after(int(share * MIGRATION_STEPS), connect(path)), path)


def copy(folder: Path, share: float) -> None:
    """Make the daily copy."""

    def slow_connect(path: Path, **options: Any) -> sqlite3.Connection:
        return killed_after(int(share * COPY_STEPS), connect(path, **options))

    backups.connect = slow_connect
    back_up(folder / "journal.db", "2026-11-30")


def export(folder: Path, share: float) -> None:
    """Write a session's file."""

    def messages() -> Iterator[dict[str, Any]]:
        for place in range(MESSAGES):
            if place == int(share * MESSAGES):
                end_at_once()
            yield {"role": "user", "number": place}

    write_file(folder / "session.jsonl", messages(), {"number": "new"})


KINDS = {"migration": migration, "copy": copy, "export": export}


def ended_by_kill(work: Callable[[Path, float], None], folder: Path, share: float) -> bool:
    """Do the work in a child; give whether it was killed in it."""
    pid = os.fork()
    if pid == 0:
        try:
            work(folder, share)
            os._exit(0)
        finally:
            os._exit(70)
    status = os.waitpid(pid, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise RuntimeError(f"the work itself failed with {os.WEXITSTATUS(status)}")
    return os.WIFSIGNALED(status)


def main(kind: str, folder: str, times: str) -> None:
    """Do the work so many times, each in a folder of its own below `folder`."""
    killed = 0
    for number in range(int(times)):
        share = number / int(times)
        killed += ended_by_kill(KINDS[kind], Path(folder) / str(number), share)
    sys.stdout.write(json.dumps({"killed": killed, "done": int(times) - killed}))


if __name__ == "__main__":
    main(*sys.argv[1:])
