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
NO_HOST = (
    "This desktop shows no tray icons. On GNOME the extension AppIndicator and KStatusNotifierItem "
    "Support adds them; elsewhere the panel has a tray or status area to add."
)

FindHost = Callable[[], str | None]
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


def watch_hosts(find: FindHost, say: Say, stopped: threading.Event) -> None:
    """Say at once whether there is a host, and then whenever that changes."""
    known: str | None = None
    first = True
    while not stopped.is_set():
        host = find()
        if host != known or first:
            say(TrayReady(host) if host else TrayNoHost(NO_HOST, is_final=False))
        known, first = host, False
        stopped.wait(LOOK_AGAIN_SECONDS if host else LOOK_SECONDS)


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
        return _call(
            bus,
            (WATCHER, WATCHER_PATH, "org.freedesktop.DBus.Properties"),
            "Get",
            GLib.Variant("(ss)", (WATCHER, "IsStatusNotifierHostRegistered")),
        )
    except GLib.Error as problem:
        logger.info("The session bus could not be asked for a tray: %s", problem)
        return False


def _call(bus: Any, target: tuple[str, str, str], method: str, given: Any) -> bool:
    name, path, interface = target
    flags = Gio.DBusCallFlags.NO_AUTO_START
    answer = bus.call_sync(
        name, path, interface, method, given, None, flags, ANSWER_MILLISECONDS, None
    )
    return bool(answer.unpack()[0])
