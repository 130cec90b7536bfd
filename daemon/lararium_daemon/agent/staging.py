"""Events that wait for the next commit, so that a round of tool calls costs two of them."""

from collections.abc import Callable

from lararium_daemon.agent.ports import Recorder
from lararium_daemon.protocol.events import Event


class Staging:
    """Collects durable events and commits them together, in order."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._events: list[Event] = []

    def add(self, *events: Event) -> None:
        """Let events ride with the next commit."""
        self._events.extend(events)

    async def commit(self) -> None:
        """Commit all that waits; nothing waits afterwards, also when the commit fails."""
        events, self._events = self._events, []
        if events:
            await self._recorder.commit(events)

    async def commit_if(self, holds: Callable[[], bool], *last: Event) -> bool:
        """Commit all that waits and `last` if `holds`; else everything but `last` waits on."""
        events, self._events = self._events, []
        if await self._recorder.commit_if(holds, [*events, *last]):
            return True
        self._events = events
        return False
