"""A panel's tray without a panel: takes StatusNotifier icons, reads their menus, clicks in them.

It is `org.kde.StatusNotifierWatcher` and its one host on a bus of the test's own. Everything goes
over D-Bus as a panel would do it, so what a test reads here is what a person would see.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from anyio.from_thread import BlockingPortal, start_blocking_portal
from dbus_fast import BusType, Message, MessageType, RequestNameReply, Variant
from dbus_fast.aio import MessageBus

Found = TypeVar("Found")

WATCHER = "org.kde.StatusNotifierWatcher"
WATCHER_PATH = "/StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
PROPERTIES = "org.freedesktop.DBus.Properties"
WAIT_SECONDS = 15.0


@dataclass(frozen=True)
class MenuLine:
    """A line of the menu as a panel gets it."""

    id: int
    label: str
    """With the marks of keys taken out, as a panel shows it."""
    enabled: bool = True
    is_separator: bool = False
    lines: "tuple[MenuLine, ...]" = ()


@dataclass(frozen=True)
class TrayEntry:
    """An icon that registered itself."""

    name: str
    """The bus name of its program."""
    path: str


class TrayHost:
    """A tray on one session bus; enter it before the icon is expected."""

    def __init__(self, bus_address: str) -> None:
        self._address = bus_address
        self._stack = ExitStack()
        self._entries: list[TrayEntry] = []

    def __enter__(self) -> Self:
        self._portal: BlockingPortal = self._stack.enter_context(start_blocking_portal())
        self._bus: MessageBus = self._portal.call(self._connect)
        self._stack.callback(self._portal.call, self._disconnect)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def entry(self) -> TrayEntry | None:
        """Give the icon; None while there is none."""
        return self._entries[-1] if self._entries else None

    def wait_entry(self) -> TrayEntry:
        """Wait for an icon."""
        return self.wait("icon", self.entry)

    def property(self, name: str) -> Any:
        """Give a property of the icon: `Title`, `IconName` or `Status`."""
        entry = self.wait_entry()
        [value] = self._call(entry, entry.path, PROPERTIES, "Get", "ss", [ITEM, name])
        return value.value

    def menu(self) -> tuple[MenuLine, ...]:
        """Read the menu with all submenus."""
        entry = self.wait_entry()
        asked = [0, -1, list[str]()]
        [_, root] = self._call(entry, self.property("Menu"), MENU, "GetLayout", "iias", asked)
        return _line(root).lines

    def click(self, *labels: str) -> None:
        """Choose an entry by the labels that lead to it; each is the line's beginning."""
        line = self.wait(f"menu entry {labels}", lambda: find(self.menu(), *labels))
        entry = self.wait_entry()
        event = [line.id, "clicked", Variant("i", 0), 0]
        self._call(entry, self.property("Menu"), MENU, "Event", "isvu", event)

    def wait_line(self, *labels: str) -> MenuLine:
        """Wait until the menu has such an entry."""
        return self.wait(f"menu entry {labels}", lambda: find(self.menu(), *labels))

    def wait(self, what: str, probe: Callable[[], Found | None]) -> Found:
        """Ask again and again until the probe gives something."""
        give_up = time.monotonic() + WAIT_SECONDS
        while True:
            found = probe()
            if found:
                return found
            if time.monotonic() > give_up:
                raise AssertionError(f"after {WAIT_SECONDS:.0f} s there is no {what}")
            time.sleep(0.02)

    def _call(
        self, entry: TrayEntry, path: str, interface: str, member: str, signature: str, body: Any
    ) -> list[Any]:
        message = Message(
            destination=entry.name,
            path=path,
            interface=interface,
            member=member,
            signature=signature,
            body=body,
        )
        reply = self._portal.call(self._bus.call, message)
        if reply.message_type is MessageType.ERROR:
            raise AssertionError(f"{member} failed: {reply.body}")
        return reply.body

    async def _connect(self) -> MessageBus:
        bus = await MessageBus(bus_address=self._address, bus_type=BusType.SESSION).connect()
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

    async def _disconnect(self) -> None:
        self._bus.disconnect()
        await self._bus.wait_for_disconnect()

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
        self._entries.append(TrayEntry(sender, path))

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


def find(lines: tuple[MenuLine, ...], *labels: str) -> MenuLine | None:
    """Find the line to which the labels lead; each is the beginning of a line's label."""
    for line in lines:
        if line.label.startswith(labels[0]) and not line.is_separator:
            return line if len(labels) == 1 else find(line.lines, *labels[1:])
    return None


def outline(lines: tuple[MenuLine, ...]) -> list[object]:
    """Give the menu as plain data: labels, `-` for a separator, disabled ones in brackets."""
    return list(_outlined(lines))


def _outlined(lines: tuple[MenuLine, ...]) -> Iterator[object]:
    for line in lines:
        if line.is_separator:
            yield "-"
        elif line.lines:
            yield (line.label, outline(line.lines))
        else:
            yield line.label if line.enabled else f"[{line.label}]"


def _line(node: list[Any]) -> MenuLine:
    number, properties, children = node
    values = {name: value.value for name, value in cast("dict[str, Variant]", properties).items()}
    return MenuLine(
        id=number,
        label=_unmarked(str(values.get("label", ""))),
        enabled=bool(values.get("enabled", True)),
        is_separator=values.get("type") == "separator",
        lines=tuple(_line(child.value) for child in children),
    )


def _unmarked(label: str) -> str:
    """Take the marks of keys out of a label: one underscore goes, two stand for one."""
    return label.replace("__", "\0").replace("_", "").replace("\0", "_")
