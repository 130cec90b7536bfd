"""A call's full output: on disk up to a cap, both ends in memory, everything counted."""

import os
from pathlib import Path
from types import TracebackType

MAX_SPOOL_BYTES = 200 * 1024 * 1024
END_BYTES = 64 * 1024
PROGRESS_BYTES = 4 * 1024


class Spool:
    """Takes output as it comes; writes to the page cache only, never syncs."""

    def __init__(self, path: Path, max_bytes: int | None = None) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)
        self._room = MAX_SPOOL_BYTES if max_bytes is None else max_bytes
        self._tail = bytearray()
        self.head = bytearray()
        """The first bytes, at most END_BYTES."""
        self.total = 0
        """Bytes that came in all."""
        self.lines = 0
        self.dropped = 0
        """Bytes that are not on disk: beyond the cap, or the disk was full."""

    def __enter__(self) -> "Spool":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self.total += len(data)
        self.lines += data.count(b"\n")
        if len(self.head) < END_BYTES:
            self.head += data[: END_BYTES - len(self.head)]
        self._tail += data[-END_BYTES:]
        if len(self._tail) > 2 * END_BYTES:
            del self._tail[:-END_BYTES]
        self._store(data)

    def tail(self, limit: int = END_BYTES) -> bytes:
        """Give the last bytes, beginning with a whole character."""
        tail = bytes(self._tail[-limit:])
        start = 0
        while start < min(4, len(tail)) and self.total > limit and tail[start] & 0xC0 == 0x80:
            start += 1
        return tail[start:]

    def _store(self, data: bytes) -> None:
        part = data[: self._room]
        written = 0
        if part:
            try:
                written = self._file.write(part) or 0
            except OSError:  # the disk is full: the command still runs, and both ends are kept
                self._room = 0
        self._room -= min(written, self._room)
        self.dropped += len(data) - written
