"""What is done for the journal in the background: room is kept for a full disk, copies are made."""

import logging
import time
from pathlib import Path

import anyio
from anyio import to_thread

from lararium_daemon.storage.backups import BackupError, back_up, clear_unfinished
from lararium_daemon.storage.reserve import Reserve

logger = logging.getLogger(__name__)

FIRST_SECONDS = 60.0
"""A daemon that has just started has better things to do."""
EVERY_SECONDS = 60.0


async def keep_up(journal: Path, reserve: Reserve) -> None:
    """Keep room and copies until cancelled."""
    await to_thread.run_sync(clear_unfinished, journal)
    await to_thread.run_sync(reserve.fill)
    await anyio.sleep(FIRST_SECONDS)
    while True:
        await to_thread.run_sync(reserve.fill)
        await _back_up(journal)
        await anyio.sleep(EVERY_SECONDS)


async def _back_up(journal: Path) -> None:
    day = time.strftime("%Y-%m-%d", time.gmtime())
    try:
        copy = await to_thread.run_sync(back_up, journal, day)
    except BackupError:
        logger.exception("The daily copy of the journal could not be made")
        return
    if copy is not None:
        logger.info("The journal was copied to %s", copy.name)
