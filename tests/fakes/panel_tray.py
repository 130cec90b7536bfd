"""The app's menu on a desktop whose tray is a real panel's.

An icon that found no StatusNotifier panel stands in the older tray, and serves its menu on the bus
all the same: so the menu is found by the process that has it, whatever panel shows the icon.
"""

import re
from collections.abc import Callable

from tests.fakes.tray_menu import MenuClient, MenuPlace

ITEMS = "/org/ayatana/NotificationItem"
BUS = MenuPlace("org.freedesktop.DBus", "/org/freedesktop/DBus")
INTROSPECTABLE = "org.freedesktop.DBus.Introspectable"


class PanelTray(MenuClient):
    """The menu of the tray process that runs now."""

    def __init__(self, bus_address: str, find_pid: Callable[[], int | None]) -> None:
        """`find_pid` gives the tray's process; None while there is none."""
        super().__init__(bus_address)
        self._find_pid = find_pid

    def menu_place(self) -> MenuPlace:
        """Say where the menu is; one of a tray that started again is found anew."""
        return self.wait("menu on the bus", self._find)

    def _find(self) -> MenuPlace | None:
        pid = self._find_pid()
        places = (self._item(name) for name in self._names() if self._owner(name) == pid)
        return next((place for place in places if place is not None), None)

    def _names(self) -> list[str]:
        [names] = self._call(BUS, BUS.name, "ListNames", "", [])
        return [name for name in names if name.startswith(":")]

    def _owner(self, name: str) -> int | None:
        try:
            [pid] = self._call(BUS, BUS.name, "GetConnectionUnixProcessID", "s", [name])
        except AssertionError:
            return None  # it left meanwhile
        return int(pid)

    def _item(self, name: str) -> MenuPlace | None:
        try:
            [text] = self._call(MenuPlace(name, ITEMS), INTROSPECTABLE, "Introspect", "", [])
        except AssertionError:
            return None
        found = re.search(r'<node name="([^"]+)"', str(text))
        return MenuPlace(name, f"{ITEMS}/{found[1]}/Menu") if found else None
