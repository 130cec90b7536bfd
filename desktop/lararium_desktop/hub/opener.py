"""Brings the window to the front with a project or a session in it, whoever asked for it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from anyio import to_thread

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import WindowShown
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.front import Front
from lararium_desktop.hub.shown import Shown

ShowWindow = Callable[[Mapping[str, str]], Awaitable[WindowShown]]
"""Brings the window to the front, or starts one with these variables of the caller's screen."""


@dataclass(frozen=True)
class Opener:
    """The one way to the front; used from the event loop alone."""

    shown: Shown
    front: Front
    feed: ShellFeed
    show_window: ShowWindow

    async def open(
        self,
        workspace: WorkspaceId | None = None,
        session: SessionId | None = None,
        display: Mapping[str, str] | None = None,
    ) -> WindowShown:
        """Tell every page that follows, and let the window come up.

        Args:
            workspace: None leaves what is shown.
            session: None leaves it to the page, which shows the last one.
            display: The variables of the caller's screen; None for the screen of the last window.

        Raises:
            LarariumError: what the window's launcher says.
        """
        if workspace is not None:
            await to_thread.run_sync(self.shown.ask, workspace, session)
            self.feed.announce()
        self._expect(session)
        try:
            window = await self.show_window(display or {})
        except LarariumError:
            self.front.give_up()
            raise
        self._expect(session)  # the page has its time from here on
        return window

    def _expect(self, session: SessionId | None) -> None:
        workspace = self.shown.workspace
        if workspace is not None:
            self.front.bring(workspace, session, self.shown.last_session(workspace))
