"""Closing a run that its runner did not end: looks at the files, commits repairs and end."""

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from lararium_daemon.protocol.events import Outcome
from lararium_daemon.sessions.repair import RESTARTED, Cause, ended, repairs, written_paths
from lararium_daemon.sessions.session import Session
from lararium_daemon.tools.text_file import remove_temporaries

logger = logging.getLogger(__name__)


@dataclass(slots=True, frozen=True)
class Ending:
    """Why a run ends without its runner's word."""

    outcome: Outcome
    cause: Cause
    code: str = ""
    detail: str = ""


CUT_BY_RESTART = Ending(
    "interrupted",
    "restart",
    RESTARTED,
    "The daemon was stopped in the middle of this run. What was done is kept and nothing was "
    "started again; send a message to go on.",
)
INTERRUPTED = Ending("interrupted", "interrupt")
STOPPED = Ending(
    "interrupted",
    "interrupt",
    "daemon_stopped",
    "The daemon was stopped. What was done is kept; send a message to go on.",
)
BROKE = Ending(
    "error",
    "interrupt",
    "internal",
    "Something in the daemon broke; its log has the details. What was done is kept; send the "
    "message again to try once more.",
)


async def settle(session: Session, ending: Ending) -> None:
    """Commit what closes the run that is open, in one transaction; nothing when none is.

    Raises:
        LarariumError: `storage_full` and its kin; the run is open still.
    """
    if not session.fold.is_running:
        return
    paths = written_paths(session.fold)
    if ending.cause == "restart":
        await to_thread.run_sync(_clean_up_after, paths)
    hashes = await to_thread.run_sync(_hash_files, paths)
    events = repairs(session.fold, ending.cause, hashes)
    events += ended(session.fold, ending.outcome, ending.code, ending.detail)
    await session.commit(events)


def _clean_up_after(paths: Sequence[str]) -> None:
    """Remove what a daemon that died in the middle of a write left beside the file."""
    for path in paths:
        if removed := remove_temporaries(Path(path)):
            logger.info("Removed %s unfinished copies beside %s", removed, path)


def _hash_files(paths: Sequence[str]) -> dict[str, str]:
    return {path: _hash_file(Path(path)) for path in paths}


def _hash_file(path: Path) -> str:
    """Give the hash, "absent" when there is no file, "" when it cannot be told."""
    try:
        if not path.is_file():  # a pipe or device would never end
            return "" if path.exists() else "absent"
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
