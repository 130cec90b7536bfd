"""Is there a tray on this desktop? On Linux that is another program, which may come and go.

A panel either registers as a host of StatusNotifier icons on the session bus, or owns the X
selection of the older XEMBED tray. GNOME has neither without an extension.
"""

# pyright: reportMissingImports=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportAttributeAccessIssue=false
# PyGObject and python-xlib have no stubs.

import logging
import threading
from collections.abc import Callable
from typing import Any

import gi

gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gio, GLib  # noqa: E402  the version is chosen first

from lararium_desktop.system.tray_messages import TrayNoHost, TrayReady  # noqa: E402

logger = logging.getLogger(__name__)

WATCHER = "org.kde.StatusNotifierWatcher"
WATCHER_PATH = "/StatusNotifierWatcher"
ANSWER_MILLISECONDS = 1_000
LOOK_SECONDS = 2.0
LOOK_AGAIN_SECONDS = 5.0
"""While there is a host; looking costs a thousandth of a second."""
LOST_LOOKS = 5
"""So often a host has no icon of ours before the icon counts as lost."""
NO_HOST = (
    "This desktop shows no tray icons. On GNOME the extension AppIndicator and KStatusNotifierItem "
    "Support adds them; elsewhere the panel has a tray or status area to add."
)

ICON_PATH_END = "NotificationItem/lararium"

FindHost = Callable[[], str | None]
LostIcon = Callable[[str | None], bool]
"""Whether the host of this kind has no icon of ours."""
Say = Callable[[TrayReady | TrayNoHost], None]


class LinuxHosts:
    """Looks for hosts; belongs to the one thread that calls `find`."""

    def __init__(self, *, takes_notifier: bool) -> None:
        """`takes_notifier` is False for a backend that knows the XEMBED tray alone."""
        self._takes_notifier = takes_notifier
        self._display: Any = None

    def find(self) -> str | None:
        """Give the kind of host that is there; None for none. Does not raise."""
        if self._takes_notifier and _has_notifier_host():
            return "status-notifier"
        return "xembed" if self._has_xembed_host() else None

    def has_lost_icon(self, host: str | None) -> bool:
        """Whether the host says which icons it has, and ours is not among them. Does not raise."""
        if host != "status-notifier":
            return False
        try:
            bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
            items = _watcher_property(bus, "RegisteredStatusNotifierItems")
        except GLib.Error as problem:
            logger.info("The tray could not be asked for its icons: %s", problem)
            return False
        # Some hosts name the connection, some the object; both carry something of ours.
        ours = (f"{bus.get_unique_name()}/", f"{bus.get_unique_name()}@", ICON_PATH_END)
        return not any(mark in str(item) for item in items for mark in ours)

    def _has_xembed_host(self) -> bool:
        if type(Gdk.Display.get_default()).__name__ != "X11Display":
            return False
        from Xlib import display, error

        try:
            self._display = self._display or display.Display()
            screen = self._display.get_default_screen()
            atom = self._display.get_atom(f"_NET_SYSTEM_TRAY_S{screen}")
            return bool(self._display.get_selection_owner(atom))
        except (error.DisplayError, error.ConnectionClosedError, OSError) as problem:
            logger.info("The X server could not be asked for a tray: %s", problem)
            self._display = None
            return False


def watch_hosts(find: FindHost, lost: LostIcon, say: Say, stopped: threading.Event) -> bool:
    """Say at once whether there is a host, and then whenever that changes.

    Gives False when it was stopped, True when the host is there and has lost the icon: the library
    registers it once and does not learn that it failed.
    """
    known: str | None = None
    first = True
    misses = 0
    while not stopped.is_set():
        host = find()
        if host != known or first:
            say(TrayReady(host) if host else TrayNoHost(NO_HOST, is_final=False))
        known, first = host, False
        misses = misses + 1 if lost(host) else 0
        if misses == LOST_LOOKS:
            return True
        stopped.wait(LOOK_AGAIN_SECONDS if host and not misses else LOOK_SECONDS)
    return False


def _has_notifier_host() -> bool:
    try:
        bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
        owned = _call(
            bus,
            ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"),
            "NameHasOwner",
            GLib.Variant("(s)", (WATCHER,)),
        )
        if not owned:
            return False
        return bool(_watcher_property(bus, "IsStatusNotifierHostRegistered"))
    except GLib.Error as problem:
        logger.info("The session bus could not be asked for a tray: %s", problem)
        return False


def _watcher_property(bus: Any, name: str) -> Any:
    target = (WATCHER, WATCHER_PATH, "org.freedesktop.DBus.Properties")
    return _call(bus, target, "Get", GLib.Variant("(ss)", (WATCHER, name)))


def _call(bus: Any, target: tuple[str, str, str], method: str, given: Any) -> Any:
    name, path, interface = target
    flags = Gio.DBusCallFlags.NO_AUTO_START
    answer = bus.call_sync(
        name, path, interface, method, given, None, flags, ANSWER_MILLISECONDS, None
    )
    return answer.unpack()[0]
