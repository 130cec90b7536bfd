"""The SQLite file of a workspace: how it is opened, checked, set aside and brought up to date.

WAL with `synchronous=FULL`: a commit that returned is on the disk. A file that SQLite finds
damaged is renamed with its -wal and -shm, never repaired in place, and what can still be read of
it is copied into a new one (`salvage.py`).
"""

import logging
import os
import sqlite3
import sys
import time
from importlib import resources
from pathlib import Path

from lararium_daemon.protocol.problems import LarariumError

logger = logging.getLogger(__name__)

BUSY_SECONDS = 5.0
CHECK_SECONDS = 1.0
"""How long a start may look for damage; a larger file counts as sound until a read fails."""
THOROUGH_BYTES = 8 * 1024 * 1024
"""Up to this size indexes are compared with their tables too."""
UNFINISHED = ".tmp"
"""Ends the name of a copy that is being made."""
_MIGRATIONS = "lararium_daemon.storage.migrations"
_STEPS_BETWEEN_LOOKS = 10_000
_PROBES = (
    "SELECT position, session_id, seq, at, type, payload FROM event LIMIT 1",
    "SELECT id, created_at, updated_at, archived, activity, summary FROM session LIMIT 1",
)
_ENVIRONMENT = (
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
)


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a connection that begins transactions only when told, usable from any one thread.

    Raises:
        sqlite3.Error: the file cannot be opened or is none of SQLite's.
    """
    uri = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    connection = sqlite3.connect(
        uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
    )
    connection.text_factory = _lenient_text  # one rotten byte must not hide a whole session
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            if sys.platform == "darwin":  # plain fsync leaves data in the drive's cache there
                connection.execute("PRAGMA fullfsync = 1")
                connection.execute("PRAGMA checkpoint_fullfsync = 1")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def is_damaged(path: Path) -> bool:
    """Say whether the file is no sound journal, looking for at most a second.

    Raises:
        sqlite3.Error: it cannot be looked at (locked, unreadable), which says nothing of damage.
    """
    connection = connect(path, read_only=True)  # closing a writer would change the file
    limit = time.monotonic() + CHECK_SECONDS
    connection.set_progress_handler(lambda: int(time.monotonic() > limit), _STEPS_BETWEEN_LOOKS)
    try:
        return _looks_broken(connection, thorough=path.stat().st_size < THOROUGH_BYTES)
    except sqlite3.Error as error:
        if _code(error) in _ENVIRONMENT:
            raise
        if _code(error) == sqlite3.SQLITE_INTERRUPT:
            logger.info("The check of the journal took too long and was cut short")
            return False
        return True
    except UnicodeDecodeError:  # Python could not read SQLite's own words about the file
        return True
    finally:
        connection.close()


def _looks_broken(connection: sqlite3.Connection, *, thorough: bool) -> bool:
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if version > len(_steps()):
        return False  # its tables may be others
    if version > 0:
        for probe in _PROBES:
            connection.execute(probe).fetchone()
    check = "PRAGMA integrity_check(1)" if thorough else "PRAGMA quick_check(1)"
    return bool(connection.execute(check).fetchone()[0] != "ok")


def set_aside(path: Path) -> Path:
    """Rename the file and its companions to `<name>.bad-<time>…`; give the new name."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    bad = path.with_name(f"{path.name}.bad-{stamp}")
    number = 1
    while bad.exists():
        number += 1
        bad = path.with_name(f"{path.name}.bad-{stamp}-{number}")
    for suffix in ("-wal", "-shm", ""):
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(bad.with_name(bad.name + suffix))
    return bad


def create_private(path: Path) -> None:
    """Make the file, when there is none, so that only its owner can read it."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))


def migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring the schema up to date in one transaction, after a copy of an older file.

    Raises:
        LarariumError: `database_newer`: a newer version of the app wrote this file.
    """
    steps = _steps()
    have = int(connection.execute("PRAGMA user_version").fetchone()[0])
    if have > len(steps):
        raise LarariumError(
            "database_newer",
            f"{path.name} was written by a newer version of Lararium. It was not touched; update "
            "the app to open this project.",
            500,
        )
    if have == len(steps):
        return
    if have > 0:
        _back_up(connection, path, have)
    body = "\n".join(steps[have:])
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{body}\nPRAGMA user_version = {len(steps)};\nCOMMIT;"
        )
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def first_schema() -> str:
    """Give the schema that every journal began with."""
    return _steps()[0]


def _steps() -> list[str]:
    files = [each for each in resources.files(_MIGRATIONS).iterdir() if each.name.endswith(".sql")]
    return [each.read_text(encoding="utf-8") for each in sorted(files, key=lambda f: f.name)]


def write_copy(source: sqlite3.Connection, target: Path) -> None:
    """Copy a whole database to `target`, which is there complete and on the disk or not at all.

    Raises:
        sqlite3.Error: it cannot be read or written.
        OSError: likewise.
    """
    unfinished = target.with_name(f"{target.name}{UNFINISHED}")
    _remove_unfinished(unfinished)
    create_private(unfinished)  # VACUUM INTO takes an empty file as it is, with its mode
    try:
        source.execute("VACUUM INTO ?", (str(unfinished),))
        _sync(unfinished)
        unfinished.replace(target)
    except BaseException:
        _remove_unfinished(unfinished)
        raise


def _remove_unfinished(path: Path) -> None:
    for part in (path, path.with_name(f"{path.name}-journal")):
        part.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    copy = path.with_name(f"{path.name}.version-{version}")
    if not copy.exists():
        write_copy(connection, copy)


def _lenient_text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _code(error: sqlite3.Error) -> int:
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF  # the low byte is the kind, the rest says where
