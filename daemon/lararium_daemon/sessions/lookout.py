"""What is to be told of all sessions together: that attention changed, and which sessions work.

Whoever follows reads what changed itself: attention from the journal, after the last `seq` it has,
so that it gets every change once and in order however late it looks.
"""

import anyio

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.state import SessionSummary


class Bell:
    """A version that grows with each change; used from the event loop alone."""

    def __init__(self) -> None:
        self.version = 0
        self._rung = anyio.Event()

    def ring(self) -> None:
        """Say that something changed; never waits."""
        self.version += 1
        self._rung.set()
        self._rung = anyio.Event()

    async def wait_newer(self, version: int) -> None:
        """Wait, without limit, until the version is beyond the given one."""
        while self.version <= version:
            await self._rung.wait()


class Lookout:
    """The bells of a daemon, and its sessions that are not idle."""

    def __init__(self) -> None:
        self.attention = Bell()
        self.activity = Bell()
        self._active: dict[SessionId, SessionSummary] = {}

    def active(self) -> list[SessionSummary]:
        """Give the rows of the sessions that are not idle, in the order in which they began."""
        return list(self._active.values())

    def note(self, summary: SessionSummary) -> None:
        """Take the present row of a session."""
        if summary.activity == "idle":
            self.forget(summary.id)
        elif self._active.get(summary.id) != summary:
            self._active[summary.id] = summary
            self.activity.ring()

    def forget(self, session_id: SessionId) -> None:
        """Take a session off that is idle or gone."""
        if self._active.pop(session_id, None) is not None:
            self.activity.ring()
