"""Removes what no session needs of the kept pictures: some time after each start, off the way.

A picture is put before the message that names it, so a client that goes away in between leaves it
behind; a daemon that is killed leaves what came in half, or the pictures of a session that was
just deleted.
"""

import logging
import time

import anyio
from anyio import to_thread

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.storage.attachments import AttachmentStore
from lararium_daemon.storage.journal import Journal

logger = logging.getLogger(__name__)

FIRST_SECONDS = 90.0
"""A daemon that has just started has better things to do."""
OLD_SECONDS = 24 * 60 * 60.0
"""A message may still be on its way for a younger one."""
_PAGE = 1_000


async def sweep_later(store: AttachmentStore, journal: Journal) -> None:
    """Sweep once, when the daemon has started long ago. Never raises."""
    await anyio.sleep(FIRST_SECONDS)
    try:
        await sweep(store, journal, time.time() - OLD_SECONDS)
    except OSError:
        logger.exception("Pictures that no message names could not be removed")


async def sweep(store: AttachmentStore, journal: Journal, before: float) -> None:
    """Remove pictures of sessions that are gone, and those from before a time that nothing names.

    Raises:
        OSError: the disk failed.
    """
    if journal.notices:  # it was damaged: what cannot be read may have named them
        return
    known = set(await journal.all_ids())
    for session_id in await to_thread.run_sync(store.sessions):
        if session_id not in known:
            await to_thread.run_sync(store.forget, session_id)
            continue
        old = set(await to_thread.run_sync(store.old, session_id, before))
        for each in old - await _named(journal, session_id, old):
            await to_thread.run_sync(store.remove, session_id, each)
            logger.info("A picture that no message names was removed from session %s", session_id)


async def _named(journal: Journal, session_id: SessionId, wanted: set[str]) -> set[str]:
    found, after = set[str](), 0
    while found != wanted:
        entries = await journal.read(session_id, after, _PAGE)
        if not entries:
            break
        after = entries[-1].seq
        for entry in entries:
            if entry.type == "message.appended":
                found |= {each for each in wanted if each.encode() in entry.payload}
    return found
