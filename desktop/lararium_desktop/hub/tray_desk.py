"""The desk of the running hub: what its tray shows, and what a click there does."""

import logging
from collections import deque
from collections.abc import Sequence
from typing import Any

from anyio import to_thread

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxAnswerInput, InboxItem
from lararium_desktop.hub.followers import FindDaemon
from lararium_desktop.hub.services import HubServices

logger = logging.getLogger(__name__)

DAEMON_SECONDS = 10.0
REMEMBERED = 16


class HubDesk:
    """One hub, as its tray sees it. Used from the event loop alone."""

    def __init__(self, hub: HubServices, find: FindDaemon) -> None:
        self._hub = hub
        self._find = find
        self._recent: deque[WorkspaceId] = deque(maxlen=REMEMBERED)

    def workspaces(self) -> Sequence[Workspace]:
        """Give every project, in the person's order."""
        return self._hub.workspaces()

    def items(self) -> Sequence[InboxItem]:
        """Give what waits, then what ended."""
        return self._hub.inbox.items()

    def recent(self) -> Sequence[WorkspaceId]:
        """Give the projects that were shown since the hub began, newest first."""
        shown = self._hub.shown.workspace
        if shown is not None and (not self._recent or self._recent[0] != shown):
            if shown in self._recent:
                self._recent.remove(shown)
            self._recent.appendleft(shown)
        return tuple(self._recent)

    async def show(self, workspace: WorkspaceId | None, session: SessionId | None) -> None:
        """Bring the window to the front, or open one, and show this in it."""
        await self._hub.opener.open(workspace, session, self._hub.tray.display)

    async def answer(self, item_id: str, *, allow: bool) -> None:
        """Allow once or deny."""
        given = InboxAnswerInput(action="allow_once" if allow else "deny")
        answered = await self._hub.inbox.answer(item_id, given)
        logger.info("An answer from the tray: %s, %s", given.action, answered.outcome)

    async def new_session(self, workspace: WorkspaceId) -> SessionId:
        """Begin a session, starting the daemon when it does not run."""
        await self._hub.pool.open(workspace)
        return SessionId(str((await to_thread.run_sync(self._create, workspace))["id"]))

    async def quit(self, *, stop_daemons: bool) -> None:
        """End the hub; a daemon that does not stop is said, and then the hub stays."""
        problems = await self._hub.pool.stop_all() if stop_daemons else []
        for problem in problems:
            self._hub.tray.tell(problem)
        if problems:
            raise LarariumError("still_running", " ".join(problems), 409)
        self._hub.quit.set()

    def _create(self, workspace: WorkspaceId) -> dict[str, Any]:
        handle = self._find(workspace)
        if handle is None:
            raise LarariumError("daemon_gone", "The project's daemon has ended.", 409)
        client = handle.client()
        return client.request("POST", "/api/sessions", {}, timeout_seconds=DAEMON_SECONDS)
