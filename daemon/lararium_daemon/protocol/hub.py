"""Requests and answers of the hub's HTTP API and of its native channel."""

from typing import Literal

from pydantic import BaseModel, Field

from lararium_daemon.protocol.api import Input, Output
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import InboxItem, ShellToast
from lararium_daemon.protocol.shell_settings import ShellSettings

WorkspaceState = Literal[
    "missing",
    "stopped",
    "starting",
    "ready",
    "busy",
    "needs_you",
    "unresponsive",
    "crashed",
    "asleep",
]


class Workspace(Output):
    """A registered project."""

    id: WorkspaceId
    name: str
    path: str
    state: WorkspaceState
    location: Literal["local", "remote"] = "local"
    pinned: bool = False
    """It stands before those that are not."""
    sample: bool = False
    """The tour's sample project; `DELETE /api/tour/{id}` removes it with its folder."""
    pid: int | None = None
    base_url: str | None = None
    safe: bool = False
    """Its daemon was started safely: it uses nothing that the project brings."""
    outdated: str = ""
    """The version of its daemon where that is older than the app: it takes no message any more,
    and another one follows once its runs have ended."""
    problem: str = ""
    """Why it is missing, crashed or does not answer, with what to do."""
    log_tail: list[str] = Field(default_factory=list)
    """Last lines of the daemon's log, only while it is crashed."""
    waiting: int = 0
    """Things that wait for the person."""
    unread: int = 0
    """Runs that ended or failed and were not looked at."""
    running: int = 0
    """Sessions that run or wait for their turn."""
    fact: str = ""
    """One line of what goes on: what is asked, else what runs; "" when nothing does."""


class WorkspaceList(Output):
    """In the person's own order."""

    items: list[Workspace]
    next_cursor: str | None = None
    notices: list[str] = Field(default_factory=list)
    """What was found broken in the registry and set aside, for the person."""


class WorkspaceAddInput(Input):
    """Register a folder."""

    path: str = Field(min_length=1, max_length=4096)
    nested: bool = False


class WorkspacePatchInput(Input):
    """Change what is given."""

    name: str | None = Field(default=None, min_length=1, max_length=120)
    pinned: bool | None = None
    place: int | None = Field(default=None, ge=0, le=10_000)
    """Its place in the list, from 0; pinned ones stay before the others."""


class WorkspaceOpened(Output):
    """The daemon is up; `page_url` carries a one-time ticket in its fragment."""

    base_url: str
    page_url: str
    state: WorkspaceState


class FolderPicked(Output):
    """The folder that the person chose; None when the dialog was cancelled."""

    path: str | None


class PickFolderInput(Input):
    """Open the native folder dialog."""

    title: str = Field(default="Open a project folder", max_length=120)


class OpenExternalInput(Input):
    """Open a link in the system's browser; the page has shown its host and address."""

    url: str = Field(max_length=8192)


class RevealInput(Input):
    """Show a file or folder of a project in the system's file manager."""

    workspace_id: WorkspaceId
    path: str = Field(default="", max_length=4096)
    """Within the project's folder, or a full path that lies in it; "" is the folder itself."""


DisplayName = Literal[
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_TYPE",
    "XDG_CURRENT_DESKTOP",
    "GDK_BACKEND",
    "GDK_SCALE",
    "GTK_THEME",
]


class ShowInput(Input):
    """Bring the window to the front, or open one on the caller's screen."""

    display: dict[DisplayName, str] = Field(default_factory=dict[DisplayName, str])
    """Where that screen is: the hub may have been started without one, or on another."""
    workspace_id: WorkspaceId | None = None
    """The project to show; None leaves what is shown."""


class WindowShown(Output):
    """The window that is now in front."""

    pid: int
    started: bool
    """False when it was open already."""


class PageLink(Output):
    """The address of the hub's page with a single-use ticket in its fragment."""

    url: str
    expires_in: int
    """Seconds."""


class ShellState(Output):
    """Topic `shell` of the hub's WebSocket: the whole state, after each change."""

    type: Literal["shell"] = "shell"
    workspaces: list[Workspace]
    notices: list[str] = Field(default_factory=list)
    window: bool
    """Whether native dialogs can be asked for."""
    shown: WorkspaceId | None = None
    """The project that a command or another page asked to show last."""
    shown_count: int = 0
    """Grows with each such request, so that the same project can be asked for twice."""
    shown_session: SessionId | None = None
    """The session to open there; None leaves the one that is shown."""
    held: WorkspaceId | None = None
    """The project that was shown when the window's page hung or crashed: its page is not loaded
    again by itself, until the person opens it."""
    inbox: list[InboxItem] = Field(default_factory=list[InboxItem])
    """What waits, oldest first, then what ended, newest first; without what was dismissed."""
    settings: ShellSettings = ShellSettings()
    toast: ShellToast | None = None
    """The last thing the page has to say itself; it is new when its `count` grew."""


class HubStatus(Output):
    """State of the hub."""

    guid: str
    version: str
    pid: int
    window: bool
    """Whether a window process is attached."""
    pages: int = 0
    """How many pages follow the shell now; a window that opens counts as one."""
    security: Literal["token", "trust-same-user"] = "token"
    """Who needs a credential: everybody, or everybody but this user's own programs."""


class NativeRequest(BaseModel):
    """Hub → window on `/api/native/channel`."""

    id: int
    method: Literal["pick_folder", "open_external", "show", "reload", "allow_origins", "close"]
    params: dict[str, str] = Field(default_factory=dict)


class NativeReply(BaseModel):
    """Window → hub on `/api/native/channel`."""

    id: int
    result: str | None = None
    error: str = ""
