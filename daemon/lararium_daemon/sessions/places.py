"""The places for sessions that run at once, and the line of those that wait for one."""

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass, field

import anyio

from lararium_daemon.protocol.ids import SessionId


@dataclass(slots=True)
class Place:
    """What a session holds while it runs, or while a run is about to begin in it."""

    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)
    """Cancelled to stop the run."""
    ended: anyio.Event = field(default_factory=anyio.Event)
    """Set once the run's end is stored and the place is free."""


class Places:
    """Who runs and who waits, in the order of coming; a session has at most one place."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken: dict[SessionId, Place] = {}
        self._line: deque[SessionId] = deque()
        self.is_closing = False
        """Whether nobody is admitted any more."""
        self.drained = anyio.Event()
        """Set once nobody is admitted any more and every place is free."""

    @property
    def taken(self) -> int:
        """How many sessions run now."""
        return len(self._taken)

    @property
    def waiting(self) -> int:
        """How many sessions wait for a place."""
        return len(self._line)

    @property
    def has_free(self) -> bool:
        """Whether one more session may run."""
        return self.taken < self._count

    def of(self, session_id: SessionId) -> Place | None:
        """Give the session's place; None when it does not run."""
        return self._taken.get(session_id)

    def take(self, session_id: SessionId) -> Place:
        """Give the session a place, also beyond the count: what was begun before goes first."""
        place = self._taken[session_id] = Place()
        return place

    def free(self, session_id: SessionId) -> None:
        """Give a place back and wake who waits for its end."""
        self._taken.pop(session_id).ended.set()
        self._note_drained()

    def line_up(self, session_id: SessionId) -> None:
        """Let a session wait for a place, unless it has one or waits already."""
        if session_id not in self._taken and session_id not in self._line:
            self._line.append(session_id)

    def admit(self) -> Generator[tuple[SessionId, Place]]:
        """Give those that wait their places, first come first served, while there are any."""
        while self._line and self.has_free and not self.is_closing:
            session_id = self._line.popleft()
            yield session_id, self.take(session_id)

    def close(self) -> None:
        """Admit nobody any more; those that run go on."""
        self.is_closing = True
        self._note_drained()

    def _note_drained(self) -> None:
        if self.is_closing and not self._taken:
            self.drained.set()
