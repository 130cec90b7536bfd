"""Whole copies of the journal, one a day, the last three kept.

A copy is made beside the running writer, under another name until it is complete, and only where
the disk has room for it.
"""

import logging
import shutil
import sqlite3
from pathlib import Path

from lararium_daemon.storage.database import UNFINISHED, connect, write_copy

logger = logging.getLogger(__name__)

KEPT = 3
ROOM = 3
"""Free space must be so many times the journal's size."""


def back_up(journal: Path, day: str) -> Path | None:
    """Copy the journal to `<name>.daily-<day>`; None when it is there or there is no room. Blocks.

    Raises:
        sqlite3.Error: it cannot be read or written.
        OSError: likewise.
    """
    target = journal.with_name(f"{journal.name}.daily-{day}")
    size = journal.stat().st_size
    if target.exists() or shutil.disk_usage(journal.parent).free < ROOM * size:
        return None
    source = connect(journal, read_only=True)
    try:
        write_copy(source, target)
    finally:
        source.close()
    for old in daily_copies(journal)[:-KEPT]:
        old.unlink(missing_ok=True)
    return target


def daily_copies(journal: Path) -> list[Path]:
    """Give the daily copies, oldest first."""
    found = journal.parent.glob(f"{journal.name}.daily-*")
    return sorted(each for each in found if UNFINISHED not in each.name)


def clear_unfinished(journal: Path) -> None:
    """Remove what a copy left that was cut off by the daemon's end, SQLite's own file included."""
    for each in journal.parent.glob(f"{journal.name}.*{UNFINISHED}*"):
        each.unlink(missing_ok=True)
        logger.info("An unfinished copy was removed: %s", each.name)


BackupError = (sqlite3.Error, OSError)
"""What a copy may fail with; nothing but the copy is lost."""
