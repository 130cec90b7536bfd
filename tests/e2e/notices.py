"""Notifications on a rig: by the recording server, or by one that people have."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol

from tests.e2e.rig import Rig, wait_for
from tests.fakes.notification_server import NotificationServer

SERVERS = ("recorder", "dunst")
NAME = "org.freedesktop.Notifications"
DUNST = """
[global]
    idle_threshold = 0
    history_length = 20
[urgency_low]
    timeout = 0
[urgency_normal]
    timeout = 0
[urgency_critical]
    timeout = 0
"""
"""Nothing goes by itself: a test on a busy machine may come late."""


class Notices(Protocol):
    """What stands on the screen."""

    def count(self) -> int:
        """Say how many there are now."""
        ...

    def click(self, title: str) -> None:
        """Wait for the notification with this title, and click on it."""
        ...


class Recorded:
    """Notifications of the recording server."""

    def __init__(self, server: NotificationServer) -> None:
        self._server = server

    def count(self) -> int:
        """Say how many there are now."""
        return len(self._server.there)

    def click(self, title: str) -> None:
        """Wait for the notification with this title, and click on it."""
        shown = self._server.wait(
            f"notification {title!r}",
            lambda server: next((each for each in server.there if each.title == title), None),
        )
        self._server.click(shown)


class Dunst:
    """Notifications that dunst draws."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    def count(self) -> int:
        """Say how many there are now."""
        got = self._ask(
            "org.freedesktop.DBus.Properties.Get", f"string:{CONTROL}", "string:displayedLength"
        )
        return int(got.split()[-1])

    def click(self, title: str) -> None:
        """Wait for the notification, act on it, and find its title in what was shown."""
        wait_for("notification", self.count)
        self._ask(f"{CONTROL}.NotificationAction", "uint32:0")
        wait_for(f"notification {title!r}", lambda: f'"{title}"' in self._history())

    def _history(self) -> str:
        return self._ask(f"{CONTROL}.NotificationListHistory")

    def _ask(self, method: str, *arguments: str) -> str:
        path = f"/{NAME.replace('.', '/')}"
        argv = ("dbus-send", "--session", "--print-reply", f"--dest={NAME}", path, method)
        return self._rig.run(*argv, *arguments)


CONTROL = "org.dunstproject.cmd0"


def missing_server(name: str) -> str:
    """Say what this machine lacks for the server, "" when it has it."""
    return "" if name == "recorder" or shutil.which(name) else f"{name} is not installed"


@contextmanager
def notices(rig: Rig, name: str) -> Generator[Notices]:
    """Have the server on the rig's bus before anything is to be shown."""
    if name == "recorder":
        with NotificationServer(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as server:
            yield Recorded(server)
        return
    config = rig.folder / "dunstrc"
    config.write_text(DUNST, encoding="utf-8")
    rig.start("dunst", "dunst", "-conf", str(config))
    dunst = Dunst(rig)
    wait_for("dunst", lambda: NAME in rig.run(*_LIST_NAMES))
    yield dunst


_LIST_NAMES = (
    *("dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus"),
    *("/org/freedesktop/DBus", "org.freedesktop.DBus.ListNames"),
)
