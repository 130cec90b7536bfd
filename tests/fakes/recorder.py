"""A recorder in memory: what the loop committed and showed, folded as a session folds it."""

from collections.abc import Callable, Sequence

from lararium_daemon.protocol.events import Event, VolatileEvent
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.state import SessionState
from lararium_daemon.sessions.fold import fresh


class MemoryRecorder:
    """Keeps the transactions of a session in the order they were committed."""

    def __init__(self) -> None:
        self.fold = fresh(SessionId("ses_test"))
        self.transactions: list[list[Event]] = []
        self.shown: list[VolatileEvent] = []

    @property
    def state(self) -> SessionState:
        """The session so far."""
        return self.fold.state

    @property
    def events(self) -> list[Event]:
        """Every durable event, in order."""
        return [event for transaction in self.transactions for event in transaction]

    def types(self) -> list[list[str]]:
        """The types of each transaction's events."""
        return [[event.type for event in transaction] for transaction in self.transactions]

    async def commit(self, events: Sequence[Event]) -> int:
        """Keep and fold one transaction."""
        self.transactions.append(list(events))
        for event in events:
            seq = self.state.seq + 1
            self.fold.apply_durable(event, seq, "2026-11-30T10:00:00.000Z")
        return self.state.seq

    async def commit_if(self, holds: Callable[[], bool], events: Sequence[Event]) -> bool:
        """Keep and fold one transaction if `holds`."""
        if not holds():
            return False
        await self.commit(events)
        return True

    def emit(self, event: VolatileEvent) -> None:
        """Keep and fold a volatile event."""
        self.shown.append(event)
        assert self.fold.apply_volatile(event)
