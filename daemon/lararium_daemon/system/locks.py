"""Locks of the operating system on files: freed by the kernel when their holder is gone.

A lock belongs to the open file: a forked child shares it, a program started with exec does not,
because the descriptor is not inheritable. The file is a place to lock and is never deleted.
"""

import errno
import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from lararium_daemon.protocol.errors import LarariumError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_RETRY_SECONDS = 0.02
_LOCKED_BYTE = 0x7FFF_0000
"""On Windows (not run there) a lock hides its bytes from readers: it lies behind the content."""


class HeldLock:
    """A lock that is held until `release`, or until every process that shares it has ended."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self.descriptor = descriptor
        self.path = path

    def write_note(self, note: bytes) -> None:
        """Leave a hint about the holder in the file, for whoever finds it locked."""
        os.ftruncate(self.descriptor, 0)
        os.lseek(self.descriptor, 0, os.SEEK_SET)
        os.write(self.descriptor, note)

    def release(self) -> None:
        """Free the lock in this process; a forked child that shares it keeps it."""
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


def try_lock(path: Path, *, patience_seconds: float = 0.0) -> HeldLock | None:
    """Take the lock, or return None when another holds it for longer than `patience_seconds`.

    Raises:
        LarariumError: `lock_unusable` when the file cannot be opened (a folder or a link lies
            there, or no permission).
    """
    descriptor = _open(path)
    give_up = time.monotonic() + patience_seconds
    while not _lock(descriptor):
        if time.monotonic() >= give_up:
            os.close(descriptor)
            return None
        time.sleep(_RETRY_SECONDS)
    return HeldLock(descriptor, path)


def is_locked(path: Path) -> bool:
    """Tell whether somebody holds the lock now. Takes a shared lock for an instant to find out."""
    if not path.exists():
        return False
    descriptor = _open(path)
    try:
        return not _lock(descriptor, shared=True)
    finally:
        os.close(descriptor)


def _open(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, 0o600)
    except OSError as error:
        raise LarariumError(
            "lock_unusable",
            f"The lock file {path} cannot be opened: {error.strerror}. Move what lies there away "
            "and try again.",
            500,
        ) from error


if sys.platform == "win32":

    def _lock(descriptor: int, *, shared: bool = False) -> bool:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EDEADLK}:
                return False
            raise
        return True

else:

    def _lock(descriptor: int, *, shared: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
