"""Some room on the disk that is given back when the disk is full, for the last words of a run.

A message of the person is never stored with it: it is refused before it is acknowledged. But the
end of a run that goes on must be said, so that it does not look as if it went on for ever.
"""

import logging
import os
import shutil
from pathlib import Path

logger = logging.getLogger(__name__)

RESERVE_BYTES = 16 * 1024 * 1024
ENOUGH = 2
"""Once spent, so many times the reserve must be free until all is as before."""
SCARCE = 4
"""A disk with less than so many times the reserve is left alone."""


class Reserve:
    """One file beside the journal; used from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._is_spent = False

    def fill(self) -> bool:
        """Take the room, where there is plenty; give whether it is taken now. Blocks."""
        try:
            if self._path.exists() and self._path.stat().st_size == RESERVE_BYTES:
                return True
            if shutil.disk_usage(self._path.parent).free < SCARCE * RESERVE_BYTES:
                return False
            _allocate(self._path)
        except OSError as error:
            logger.info("No room could be kept on the disk: %s", error)
            self._path.unlink(missing_ok=True)
            return False
        return True

    def release(self) -> bool:
        """Give the room back; False when none was taken."""
        try:
            self._path.unlink()
        except OSError:
            return False
        self._is_spent = True
        logger.warning("The disk is full; the room that was kept for this is used")
        return True

    def is_spent(self) -> bool:
        """Whether the room was given back and the disk is short still: only last words then."""
        if self._is_spent:
            free = shutil.disk_usage(self._path.parent).free
            self._is_spent = free < ENOUGH * RESERVE_BYTES
        return self._is_spent

    def notices(self) -> list[str]:
        """Give what the person should know of the disk."""
        if not self.is_spent():
            return []
        megabytes = ENOUGH * RESERVE_BYTES // (1024 * 1024)
        return [f"The disk is full: nothing new is saved until {megabytes} MB are free again."]


def _allocate(path: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(path, flags, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(descriptor, 0, RESERVE_BYTES)
        else:  # zeros take room everywhere where files have no holes of their own
            os.write(descriptor, bytes(RESERVE_BYTES))
    finally:
        os.close(descriptor)
