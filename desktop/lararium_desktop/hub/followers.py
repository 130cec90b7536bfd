"""Keeps one line to the attention of every daemon that runs, and takes it up again when it breaks.

Which daemons run the pool says. A line that breaks while its daemon is there is a hiccup: nothing
is forgotten, and the daemon tells what was missed. A daemon that is gone has ended its runs.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from lararium_daemon.client.find import DaemonHandle
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.attention_link import LinkLostError, follow_daemon
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.inbox import Inbox

logger = logging.getLogger(__name__)

FIRST_PAUSE_SECONDS = 0.25
LAST_PAUSE_SECONDS = 5.0
REFUSED_PAUSE_SECONDS = 60.0
"""A daemon of another version will say the same again."""

FindDaemon = Callable[[WorkspaceId], DaemonHandle | None]
"""Gives a running daemon that has proved itself; blocks, and may raise LarariumError."""


@dataclass(slots=True)
class _Following:
    base_url: str
    pid: int | None
    scope: anyio.CancelScope = field(default_factory=anyio.CancelScope)


class Followers:
    """The lines of one hub."""

    def __init__(
        self,
        book: AttentionBook,
        inbox: Inbox,
        workspaces: Callable[[], Sequence[Workspace]],
        find: FindDaemon,
        feed: ShellFeed,
    ) -> None:
        """`workspaces` gives the pool's view now; `feed` says when to look at it again."""
        self._book = book
        self._inbox = inbox
        self._workspaces = workspaces
        self._find = find
        self._feed = feed
        self._lines: dict[WorkspaceId, _Following] = {}
        self._known: set[WorkspaceId] = set()

    async def run(self) -> None:
        """Follow until cancelled."""
        version = -1
        async with anyio.create_task_group() as tasks:
            while True:
                version = await self._feed.wait_newer(version)
                self._look(tasks)

    def _look(self, tasks: TaskGroup) -> None:
        workspaces = {each.id: each for each in self._workspaces()}
        for gone in self._known - workspaces.keys():
            self._end(gone)
            self._book.forget(gone)
        self._known = set(workspaces)
        for workspace in workspaces.values():
            line = self._lines.get(workspace.id)
            if line and (line.base_url, line.pid) != (workspace.base_url, workspace.pid):
                self._end(workspace.id)
                self._book.lose_daemon(workspace.id)
                line = None
            if line is None and workspace.base_url is not None:
                line = _Following(workspace.base_url, workspace.pid)
                self._lines[workspace.id] = line
                tasks.start_soon(self._follow, workspace.id, line)
        if self._inbox.note_states():
            self._feed.announce()

    def _end(self, workspace: WorkspaceId) -> None:
        line = self._lines.pop(workspace, None)
        if line is not None:
            line.scope.cancel()

    async def _follow(self, workspace: WorkspaceId, line: _Following) -> None:
        pause = FIRST_PAUSE_SECONDS
        with line.scope:
            while True:
                try:
                    handle = await to_thread.run_sync(self._find, workspace, abandon_on_cancel=True)
                    if handle is not None and handle.base_url == line.base_url:
                        pause = FIRST_PAUSE_SECONDS
                        await follow_daemon(handle, self._book)
                except LinkLostError as lost:
                    logger.info("The attention of %s was lost: %s", workspace, lost)
                except LarariumError as error:
                    logger.warning("No attention of %s: %s", workspace, error.detail)
                    await anyio.sleep(REFUSED_PAUSE_SECONDS)
                await anyio.sleep(pause)
                pause = min(pause * 2, LAST_PAUSE_SECONDS)
