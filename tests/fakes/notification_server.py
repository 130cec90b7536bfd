"""`org.freedesktop.Notifications` that records what it is asked and presses what a test presses."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Self, TypeVar

import anyio
from dbus_fast import Message, RequestNameReply
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusDict, DBusInt32, DBusSignature, DBusStr, DBusUInt32
from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal
from tests.fakes.bus_client import BusClient

Found = TypeVar("Found")
Texts = Annotated[list[str], DBusSignature("as")]
Words = Annotated[tuple[str, str, str, str], DBusSignature("ssss")]
ClosedSignal = Annotated[tuple[int, int], DBusSignature("uu")]
InvokedSignal = Annotated[tuple[int, str], DBusSignature("us")]

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
CAPABILITIES = ("actions", "body", "body-markup", "icon-static", "persistence")
WAIT_SECONDS = 15.0
DISMISSED, CLOSED = 2, 3


@dataclass(frozen=True)
class Shown:
    """One call of Notify."""

    id: int
    replaces: int
    app: str
    title: str
    body: str
    actions: dict[str, str]
    """Labels by key, in order."""

    @property
    def labels(self) -> list[str]:
        """The buttons' labels; the click on the notification itself has none."""
        return [label for label in self.actions.values() if label]


@dataclass
class _Record:
    calls: list[Shown] = field(default_factory=list[Shown])
    there: dict[int, Shown] = field(default_factory=dict[int, Shown])
    changed: threading.Condition = field(default_factory=threading.Condition)


class _Service(ServiceInterface):
    def __init__(self, record: _Record, capabilities: Sequence[str]) -> None:
        super().__init__(NAME)
        self._record = record
        self._capabilities = list(capabilities)
        self._last = 0
        self.released: anyio.Event | None = None
        """Notify is answered once it is set; None = at once."""

    @dbus_method()
    def GetCapabilities(self) -> Texts:
        return self._capabilities

    @dbus_method()
    def GetServerInformation(self) -> Words:
        return ("recorder", "tests", "1.0", "1.2")

    @dbus_method()
    async def Notify(
        self,
        app: DBusStr,
        replaces: DBusUInt32,
        icon: DBusStr,
        title: DBusStr,
        body: DBusStr,
        actions: Texts,
        hints: DBusDict,
        expires: DBusInt32,
    ) -> DBusUInt32:
        if not replaces:
            self._last += 1
        number = replaces or self._last
        pairs = dict(zip(actions[::2], actions[1::2], strict=True))
        shown = Shown(number, replaces, app, title, body, pairs)
        with self._record.changed:
            self._record.calls.append(shown)
            self._record.there[number] = shown
            self._record.changed.notify_all()
        if self.released is not None:
            await self.released.wait()
        return number

    @dbus_method()
    def CloseNotification(self, number: DBusUInt32) -> None:
        self.close(number, CLOSED)

    @dbus_signal()
    def NotificationClosed(self, number: int, reason: int) -> ClosedSignal:
        return (number, reason)

    @dbus_signal()
    def ActionInvoked(self, number: int, key: str) -> InvokedSignal:
        return (number, key)

    def close(self, number: int, reason: int) -> None:
        with self._record.changed:
            self._record.there.pop(number, None)
            self._record.changed.notify_all()
        self.NotificationClosed(number, reason)

    def press(self, number: int, key: str, closes: bool) -> None:
        self.ActionInvoked(number, key)
        if closes:
            self.close(number, DISMISSED)


class NotificationServer(BusClient):
    """The server on one bus; enter it before anything is to be shown."""

    def __init__(
        self,
        bus_address: str,
        capabilities: Sequence[str] = CAPABILITIES,
        *,
        hangs: bool = False,
    ) -> None:
        """One that `hangs` answers no Notify before its end."""
        super().__init__(bus_address)
        self._record = _Record()
        self._service = _Service(self._record, capabilities)
        self._hangs = hangs
        self._program: str | None = None

    @property
    def calls(self) -> list[Shown]:
        """Every call of Notify so far."""
        with self._record.changed:
            return list(self._record.calls)

    @property
    def there(self) -> list[Shown]:
        """What is on the screen now, oldest first."""
        with self._record.changed:
            return list(self._record.there.values())

    def wait(self, what: str, found: Callable[[Self], Found | None]) -> Found:
        """Wait until something is found; the failure names it."""
        end = time.monotonic() + WAIT_SECONDS
        while True:
            if result := found(self):
                return result
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"no {what} among {self.calls}")
            with self._record.changed:
                self._record.changed.wait(min(left, 0.25))

    def wait_calls(self, count: int) -> list[Shown]:
        """Wait for so many calls of Notify."""
        return self.wait(
            f"{count} notifications", lambda it: it.calls if len(it.calls) >= count else None
        )

    def wait_gone(self) -> None:
        """Wait until nothing is on the screen."""
        self.wait("empty screen", lambda it: not it.there)

    def press(self, shown: Shown, label: str) -> None:
        """Press the button with this label."""
        [key] = [key for key, each in shown.actions.items() if each == label]
        self._portal.call(self._press, shown.id, key, True)

    def click(self, shown: Shown) -> None:
        """Click on the notification itself."""
        self._portal.call(self._press, shown.id, "default", True)

    def press_key(self, number: int, key: str) -> None:
        """Press any key of any notification, also one that is gone."""
        self._portal.call(self._press, number, key, False)

    def dismiss(self, shown: Shown) -> None:
        """Close the notification as a person does."""
        self._portal.call(self._service.close, shown.id, DISMISSED)

    async def _connect(self) -> MessageBus:
        bus = await super()._connect()
        bus.export(PATH, self._service)
        bus.add_message_handler(self._note_program)
        if self._hangs:
            self._service.released = anyio.Event()
        reply = await bus.request_name(NAME)
        assert reply is RequestNameReply.PRIMARY_OWNER
        return bus

    def _note_program(self, message: Message) -> None:
        if message.member == "Notify":
            self._program = message.sender

    async def _press(self, number: int, key: str, closes: bool) -> None:
        # A program knows the number once it has read the reply, which no person outruns.
        ping = Message(
            destination=self._program,
            path="/",
            interface="org.freedesktop.DBus.Peer",
            member="Ping",
        )
        await self._bus.call(ping)
        self._service.press(number, key, closes)

    async def _disconnect(self) -> None:
        if self._service.released is not None:
            self._service.released.set()
            await anyio.wait_all_tasks_blocked()  # the replies need the bus
        await super()._disconnect()
