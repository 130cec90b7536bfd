"""What the person looks at now, as the hub's pages say it.

A page says it after each change and again every 10 s while it is visible. A page that was closed
says no more: what it showed goes with its line to the hub, and counts for nothing after 25 s.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import ShownInput

VALID_SECONDS = 25.0
MAX_PAGES = 32


@dataclass(slots=True, frozen=True)
class _Said:
    workspace: WorkspaceId | None
    session: SessionId | None
    at: float


class Front:
    """The visible pages and what each shows."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self._clock = clock
        self._pages: dict[str, _Said] = {}

    def say(self, given: ShownInput) -> None:
        """Take what a page shows; one that is not visible shows nothing."""
        self._pages.pop(given.page, None)
        if given.visible:
            while len(self._pages) >= MAX_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[given.page] = _Said(given.workspace_id, given.session_id, self._clock())

    def leave(self, page: str) -> None:
        """Forget a page that is gone; "" is none that could be told apart."""
        if page:
            self._pages.pop(page, None)

    def has_window(self) -> bool:
        """Say whether any page of the app is in front."""
        return bool(self._valid())

    def has_session(self, workspace: WorkspaceId, session: SessionId) -> bool:
        """Say whether the person looks at this session."""
        return any((each.workspace, each.session) == (workspace, session) for each in self._valid())

    def _valid(self) -> list[_Said]:
        oldest = self._clock() - VALID_SECONDS
        return [each for each in self._pages.values() if each.at >= oldest]
