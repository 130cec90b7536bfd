"""A panel's tray without a panel: takes StatusNotifier icons, reads their menus, clicks in them.

It is `org.kde.StatusNotifierWatcher` and its one host on a bus of the test's own. Everything goes
over D-Bus as a panel would do it, so what a test reads here is what a person would see.
"""

from typing import Any

from dbus_fast import Message, MessageType, RequestNameReply, Variant
from dbus_fast.aio import MessageBus
from tests.fakes.tray_menu import MenuClient, MenuPlace

WATCHER = "org.kde.StatusNotifierWatcher"
WATCHER_PATH = "/StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
PROPERTIES = "org.freedesktop.DBus.Properties"


class TrayHost(MenuClient):
    """A tray on one session bus; enter it before the icon is expected."""

    def __init__(self, bus_address: str) -> None:
        super().__init__(bus_address)
        self._entries: list[MenuPlace] = []

    def entry(self) -> MenuPlace | None:
        """Give the icon; None while there is none."""
        return self._entries[-1] if self._entries else None

    def wait_entry(self) -> MenuPlace:
        """Wait for an icon."""
        return self.wait("icon", self.entry)

    def property(self, name: str) -> Any:
        """Give a property of the icon: `Title`, `IconName` or `Status`."""
        [value] = self._call(self.wait_entry(), PROPERTIES, "Get", "ss", [ITEM, name])
        return value.value

    def menu_place(self) -> MenuPlace:
        """Say where the icon's menu is."""
        return MenuPlace(self.wait_entry().name, str(self.property("Menu")))

    async def _connect(self) -> MessageBus:
        bus = await super()._connect()
        bus.add_message_handler(self._answer)
        await bus.call(
            Message(
                destination="org.freedesktop.DBus",
                path="/org/freedesktop/DBus",
                interface="org.freedesktop.DBus",
                member="AddMatch",
                signature="s",
                body=["type='signal',member='NameOwnerChanged'"],
            )
        )
        got = await bus.request_name(WATCHER)
        if got is not RequestNameReply.PRIMARY_OWNER:
            raise AssertionError("this bus has a tray already")
        return bus

    def _answer(self, message: Message) -> Message | None:
        if message.message_type is MessageType.SIGNAL:
            self._note_gone(message)
            return None
        if message.path != WATCHER_PATH:
            return None
        match message.member:
            case "RegisterStatusNotifierItem":
                self._register(message)
                return Message.new_method_return(message)
            case "RegisterStatusNotifierHost":
                return Message.new_method_return(message)
            case "Get":
                return Message.new_method_return(message, "v", [self._state()[message.body[1]]])
            case "GetAll":
                return Message.new_method_return(message, "a{sv}", [self._state()])
            case _:
                return None

    def _register(self, message: Message) -> None:
        """An icon says its path, or its bus name when it lies at the usual path."""
        told, sender = str(message.body[0]), message.sender or ""
        path = told if told.startswith("/") else "/StatusNotifierItem"
        self._entries.append(MenuPlace(sender, path))

    def _note_gone(self, message: Message) -> None:
        if message.member == "NameOwnerChanged" and not message.body[2]:
            self._entries = [entry for entry in self._entries if entry.name != message.body[0]]

    def _state(self) -> dict[str, Variant]:
        names = [f"{entry.name}{entry.path}" for entry in self._entries]
        return {
            "RegisteredStatusNotifierItems": Variant("as", names),
            "IsStatusNotifierHostRegistered": Variant("b", True),
            "ProtocolVersion": Variant("i", 0),
        }
