"""What SQLite's errors mean to the person."""

import shutil
import sqlite3
from pathlib import Path

from lararium_daemon.protocol.problems import LarariumError

LITTLE_SPACE_BYTES = 1024 * 1024


def is_out_of_room(error: sqlite3.Error, path: Path) -> bool:
    """Say whether a write failed because the disk is full."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code == sqlite3.SQLITE_FULL or (code == sqlite3.SQLITE_IOERR and _is_full(path))


def storage_error(error: sqlite3.Error, path: Path) -> LarariumError:
    """Give the error that crosses the API for a failed write."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if is_out_of_room(error, path):
        return LarariumError(
            "storage_full",
            "The disk is full, so this was not saved and not begun. What was saved before is safe; "
            "free some space and send it again.",
            507,
        )
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return LarariumError(
            "storage_busy",
            "Another program holds the project's journal, so this was not saved. Send it again "
            "when that program (a backup?) is done.",
            503,
        )
    return LarariumError(
        "storage_failed",
        f"The project's journal could not be written ({error}). This was not saved; what was "
        "saved before is safe.",
        500,
    )


def _is_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < LITTLE_SPACE_BYTES
    except OSError:
        return False
