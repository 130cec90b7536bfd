"""What a click in the tray does. It may come late: what it names is looked up anew each time.

An answer is given once, by the inbox, which tells the daemon; a click on what was answered or
withdrawn meanwhile does nothing. What cannot be done is done in the app, where the person can see
why.
"""

import logging
from collections.abc import Sequence
from typing import Protocol, assert_never

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem
from lararium_desktop.system.tray_messages import TrayAction

logger = logging.getLogger(__name__)


class TraySource(Protocol):
    """What the tray shows. Both must not block."""

    def workspaces(self) -> Sequence[Workspace]:
        """Give every project, in the person's order."""
        ...

    def items(self) -> Sequence[InboxItem]:
        """Give what waits, oldest first, then what ended."""
        ...

    def recent(self) -> Sequence[WorkspaceId]:
        """Give the projects that were shown last, newest first."""
        ...


class TrayDesk(TraySource, Protocol):
    """What the tray does. Each may raise LarariumError."""

    async def show(self, workspace: WorkspaceId | None, session: SessionId | None) -> None:
        """Bring the window to the front, or open one, and show this in it."""
        ...

    async def answer(self, item_id: str, *, allow: bool) -> None:
        """Allow once or deny; an answer that was given elsewhere is no error."""
        ...

    async def new_session(self, workspace: WorkspaceId) -> SessionId:
        """Begin a session, starting the daemon when it does not run."""
        ...

    async def quit(self, *, stop_daemons: bool) -> None:
        """End the app; with its daemons only when asked."""
        ...


class TrayClicks:
    """Performs clicks on one desk."""

    def __init__(self, desk: TrayDesk) -> None:
        self._desk = desk
        self._under_way: set[TrayAction] = set()

    async def perform(self, action: TrayAction) -> None:
        """Do it; the same one is not done twice at the same time. A failure is logged."""
        if action in self._under_way:
            return
        self._under_way.add(action)
        try:
            await self._do(action)
        except (LarariumError, OSError) as error:
            logger.warning("%s from the tray failed: %s", action.verb, error)
        finally:
            self._under_way.discard(action)

    async def _do(self, action: TrayAction) -> None:
        match action.verb:
            case "show":
                await self._desk.show(None, None)
            case "open_workspace":
                await self._open_workspace(WorkspaceId(action.target))
            case "open_item" | "allow_once" | "deny":
                await self._with_item(action)
            case "new_session":
                await self._new_session(WorkspaceId(action.target))
            case "quit":
                await self._desk.quit(stop_daemons=False)
            case "quit_and_stop":
                await self._desk.quit(stop_daemons=True)
            case _:
                assert_never(action.verb)

    async def _open_workspace(self, workspace: WorkspaceId) -> None:
        if self._knows(workspace):
            await self._desk.show(workspace, None)

    async def _new_session(self, workspace: WorkspaceId) -> None:
        if not self._knows(workspace):
            return
        try:
            session = await self._desk.new_session(workspace)
        except LarariumError as error:
            logger.warning("No session was begun from the tray: %s", error.detail)
            await self._desk.show(workspace, None)
        else:
            await self._desk.show(workspace, session)

    async def _with_item(self, action: TrayAction) -> None:
        item = next((each for each in self._desk.items() if each.id == action.target), None)
        if item is None:
            logger.info("A click in the tray came too late")
            return
        if action.verb == "open_item":
            await self._desk.show(item.workspace_id, item.session_id)
            return
        if not item.waiting or action.verb not in item.buttons:
            logger.info("The tray asked for what is not offered any more: %s", action.verb)
            return
        try:
            await self._desk.answer(item.id, allow=action.verb == "allow_once")
        except LarariumError as error:
            logger.warning("An answer from the tray was not taken: %s", error.detail)
            await self._desk.show(item.workspace_id, item.session_id)

    def _knows(self, workspace: WorkspaceId) -> bool:
        return any(each.id == workspace for each in self._desk.workspaces())
