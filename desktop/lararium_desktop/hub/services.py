"""What the hub's routes work with, handed to them on the application's state."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, cast

import anyio
from fastapi import Depends
from starlette.requests import HTTPConnection

from lararium_daemon.edge.credentials import PRINTED_TICKET_SECONDS, Credentials
from lararium_daemon.edge.same_user import PeerCheck
from lararium_daemon.protocol.hub import (
    HubStatus,
    PageLink,
    ShellState,
    Workspace,
)
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.followers import Followers
from lararium_desktop.hub.front import Front
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.native import NativeChannel
from lararium_desktop.hub.notifier import Notifier
from lararium_desktop.hub.opener import Opener
from lararium_desktop.hub.pool import Pool
from lararium_desktop.hub.registry import Registry
from lararium_desktop.hub.settings_store import SettingsStore
from lararium_desktop.hub.shown import Shown
from lararium_desktop.hub.tray_state import TrayState
from lararium_desktop.hub.window_keeper import WindowKeeper
from lararium_desktop.system.file_manager import FileManager


@dataclass(frozen=True)
class HubServices:
    """The parts of one running hub."""

    guid: str
    version: str
    pid: int
    port: int
    credentials: Credentials
    registry: Registry
    pool: Pool
    inbox: Inbox
    followers: Followers
    front: Front
    notifier: Notifier
    native: NativeChannel
    feed: ShellFeed
    shown: Shown
    tray: TrayState
    settings: SettingsStore
    file_manager: FileManager
    environment: Mapping[str, str]
    """The hub's own."""
    samples: Path
    """Where the copies of the tour's sample project lie."""
    keeper: WindowKeeper
    opener: Opener
    same_user: PeerCheck | None = None
    """How this user's programs are known that need no credential; None = everybody needs one."""
    quit: anyio.Event = field(default_factory=anyio.Event)
    """Set when the hub shall end."""

    @property
    def origin(self) -> str:
        """The origin of the hub's page."""
        return f"http://127.0.0.1:{self.port}"

    def status(self) -> HubStatus:
        """Give the state of the hub itself."""
        return HubStatus(
            guid=self.guid,
            version=self.version,
            pid=self.pid,
            window=self.native.is_attached,
            pages=self.feed.followers,
            security="trust-same-user" if self.same_user else "token",
        )

    def page_link(self) -> PageLink:
        """Give the page's address with a ticket that a person has ten minutes to use."""
        ticket = self.credentials.mint_ticket("ui", ttl_seconds=PRINTED_TICKET_SECONDS)
        return PageLink(url=f"{self.origin}/#t={ticket}", expires_in=PRINTED_TICKET_SECONDS)

    def shell_state(self) -> ShellState:
        """Give what the topic `shell` sends."""
        return ShellState(
            workspaces=self.workspaces(),
            notices=[*self.registry.notices, *self.settings.notices, *self.tray.notices],
            settings=self.settings.current,
            window=self.native.is_attached,
            shown=self.shown.workspace,
            shown_count=self.shown.count,
            shown_session=self.shown.session,
            held=self.shown.held,
            inbox=self.inbox.items(),
            toast=self.notifier.last,
        )

    def workspaces(self) -> list[Workspace]:
        """Give every project with what its daemon's attention adds, in the person's order."""
        return [self.inbox.dressed(each) for each in self.pool.workspaces()]

    async def allow_frames(self) -> None:
        """Tell the window which daemons' pages may be shown now; no window is no error."""
        if self.native.is_attached:
            origins = " ".join(sorted(self.pool.origins()))
            await self.native.request("allow_origins", {"origins": origins})

    def ask_to_show(self, workspace: WorkspaceId, session: SessionId | None = None) -> None:
        """Make every page that follows the shell show this project, or this session of it."""
        self.shown.ask(workspace, session)
        self.feed.announce()


def hub_services(connection: HTTPConnection) -> HubServices:
    """Give the services of the application that answers."""
    return cast("HubServices", connection.app.state.hub)


async def _hub(connection: HTTPConnection) -> HubServices:
    return hub_services(connection)


Hub = Annotated[HubServices, Depends(_hub)]
"""Async though nothing waits: a plain function would be run in a thread, for every request."""
