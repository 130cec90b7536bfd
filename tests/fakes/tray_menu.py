"""The menu of a tray icon as a panel reads it over D-Bus, and the clicks of a person in it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from dbus_fast import Message, MessageType, Variant
from tests.fakes.bus_client import BusClient

Found = TypeVar("Found")

MENU = "com.canonical.dbusmenu"
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
class MenuPlace:
    """Where a menu is served."""

    name: str
    """The bus name of its program."""
    path: str


class MenuChangedError(Exception):
    """The menu has no such entry any more."""


class MenuClient(BusClient, ABC):
    """A connection to one session bus, through which one menu is read."""

    @abstractmethod
    def menu_place(self) -> MenuPlace:
        """Say where the menu is; wait for it when it is not there yet."""

    def menu(self) -> tuple[MenuLine, ...]:
        """Read the menu with all submenus."""
        asked = [0, -1, list[str]()]
        [_, root] = self._call(self.menu_place(), MENU, "GetLayout", "iias", asked)
        return _line(root).lines

    def click(self, *labels: str) -> None:
        """Choose an entry by the labels that lead to it; each is the line's beginning."""

        def is_chosen() -> bool:
            line = self.wait_line(*labels)
            event = [line.id, "clicked", Variant("i", 0), 0]
            try:
                self._call(self.menu_place(), MENU, "Event", "isvu", event)
            except MenuChangedError:  # between reading and choosing; a panel reads it again too
                return False
            return True

        self.wait(f"menu entry {labels} that stays", is_chosen)

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
        self, place: MenuPlace, interface: str, member: str, signature: str, body: Any
    ) -> list[Any]:
        message = Message(
            destination=place.name,
            path=place.path,
            interface=interface,
            member=member,
            signature=signature,
            body=body,
        )
        reply = self._portal.call(self._bus.call, message)
        if reply.message_type is MessageType.ERROR and "does not refer" in str(reply.body):
            raise MenuChangedError(str(reply.body))
        if reply.message_type is MessageType.ERROR:
            raise AssertionError(f"{member} failed: {reply.body}")
        return reply.body


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
