"""What the person looks at now, as the hub's pages say it, and what is just coming to the front.

A page says it after each change and again every 10 s while it is visible. A page that was closed
says no more: what it showed goes with its line to the hub, and counts for nothing after 25 s.

Between a click and the page's word about it lie the start of a window and the load of a page. The
hub knows what it brings, so news of that may wait a moment; it is never dropped for it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import ShownInput

VALID_SECONDS = 25.0
COMING_SECONDS = 10.0
"""How long what was brought to the front may take to say so."""
UNNAMED_SECONDS = 1.5
"""How long news waits while only the project is known, and not which of its sessions is shown."""
MAX_PAGES = 32


@dataclass(slots=True, frozen=True)
class _Said:
    workspace: WorkspaceId | None
    session: SessionId | None
    at: float


@dataclass(slots=True, frozen=True)
class _Coming:
    workspace: WorkspaceId
    session: SessionId | None
    """None while it is not known which one."""
    is_asked: bool
    """The session itself was asked for: the page still says another one until it follows."""
    needs_page: bool
    """A page asked for it, so that it comes to no front while no page is there."""
    until: float


class Front:
    """The visible pages and what each shows, and what they show next."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self.clock = clock
        self._pages: dict[str, _Said] = {}
        self._coming: _Coming | None = None

    def say(self, given: ShownInput) -> None:
        """Take what a page shows; one that is not visible shows nothing."""
        self._pages.pop(given.page, None)
        if given.visible:
            while len(self._pages) >= MAX_PAGES:
                del self._pages[next(iter(self._pages))]
            said = _Said(given.workspace_id, given.session_id, self.clock())
            self._pages[given.page] = said
            if self._coming is not None and _has_arrived(self._coming, said):
                self._coming = None

    def leave(self, page: str) -> None:
        """Forget a page that is gone; "" is none that could be told apart."""
        if page:
            self._pages.pop(page, None)

    def bring(
        self, workspace: WorkspaceId, session: SessionId | None, last: SessionId | None
    ) -> None:
        """Note that the window is asked to show this: `session`, or else most likely `last`."""
        self._expect(
            _Coming(
                workspace=workspace,
                session=session or last,
                is_asked=session is not None,
                needs_page=False,
                until=self.clock() + COMING_SECONDS,
            )
        )

    def load(self, workspace: WorkspaceId, last: SessionId | None) -> None:
        """Note that a page loads this project, most likely with the session `last`."""
        until = self.clock() + COMING_SECONDS
        brought = self._awaited()
        if brought is not None and brought.workspace == workspace:
            self._coming = replace(brought, until=until)  # this is how it comes
            return
        self._expect(
            _Coming(workspace=workspace, session=last, is_asked=False, needs_page=True, until=until)
        )

    def give_up(self) -> None:
        """Forget what was to come: no window opened for it."""
        self._coming = None

    def has_window(self) -> bool:
        """Say whether any page of the app is in front."""
        return bool(self._valid())

    def has_session(self, workspace: WorkspaceId, session: SessionId) -> bool:
        """Say whether the person looks at this session."""
        return any((each.workspace, each.session) == (workspace, session) for each in self._valid())

    def awaits_window(self) -> bool:
        """Say whether a page of the app may be in front in a moment."""
        return self._awaited() is not None

    def awaits_session(self, workspace: WorkspaceId, session: SessionId, since: float) -> bool:
        """Say whether a page may show this session in a moment; `since` is how old the news is."""
        coming = self._awaited()
        if coming is not None and (coming.workspace, coming.session) == (workspace, session):
            return True
        if self.clock() - since >= UNNAMED_SECONDS:
            return False
        if coming is not None and (coming.workspace, coming.session) == (workspace, None):
            return True
        # A session that begins in a page has its name in the daemon before the page has told it.
        return any((each.workspace, each.session) == (workspace, None) for each in self._valid())

    def _expect(self, coming: _Coming) -> None:
        is_there = any(_has_arrived(coming, each) for each in self._valid())
        self._coming = None if is_there else coming

    def _awaited(self) -> _Coming | None:
        coming = self._coming
        if coming is None or self.clock() >= coming.until:
            return None
        return None if coming.needs_page and not self.has_window() else coming

    def _valid(self) -> list[_Said]:
        oldest = self.clock() - VALID_SECONDS
        return [each for each in self._pages.values() if each.at >= oldest]


def _has_arrived(coming: _Coming, said: _Said) -> bool:
    if said.workspace != coming.workspace:
        return False
    return said.session == coming.session or not coming.is_asked
