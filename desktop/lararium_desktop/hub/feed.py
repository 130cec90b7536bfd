"""Tells those who follow the shell that something changed; what changed they read themselves.

A follower that is slow misses intermediate states, never the last one, and costs nobody anything.
"""

from collections.abc import Generator
from contextlib import contextmanager

import anyio


class ShellFeed:
    """A version that grows with each change."""

    def __init__(self) -> None:
        self._version = 0
        self._moved = anyio.Event()
        self.followers = 0
        """Pages that are connected now, and windows that open."""

    @contextmanager
    def followed(self) -> Generator[None]:
        """Count one page while it is connected, or one window while it opens."""
        self.followers += 1
        try:
            yield
        finally:
            self.followers -= 1
            self.announce()

    @property
    def version(self) -> int:
        """The present version."""
        return self._version

    def announce(self) -> None:
        """Say that something changed; call it from the event loop's thread."""
        self._version += 1
        self._moved.set()
        self._moved = anyio.Event()

    async def wait_newer(self, version: int) -> int:
        """Wait until the version is beyond the given one, and give it."""
        while self._version <= version:
            await self._moved.wait()
        return self._version
