"""`org.freedesktop.FileManager1` that records what it is asked to show."""

from typing import Annotated

from dbus_fast import RequestNameReply
from dbus_fast.aio import MessageBus
from dbus_fast.annotations import DBusSignature, DBusStr
from dbus_fast.service import ServiceInterface, dbus_method
from tests.fakes.bus_client import BusClient

NAME = "org.freedesktop.FileManager1"
PATH = "/org/freedesktop/FileManager1"
Addresses = Annotated[list[str], DBusSignature("as")]


class _Service(ServiceInterface):
    def __init__(self) -> None:
        super().__init__(NAME)
        self.shown: list[list[str]] = []

    @dbus_method()
    def ShowItems(self, addresses: Addresses, startup_id: DBusStr) -> None:
        self.shown.append(addresses)


class FakeFileManager(BusClient):
    """The file manager on one bus; enter it before anything is to be shown."""

    def __init__(self, bus_address: str) -> None:
        super().__init__(bus_address)
        self._service = _Service()

    @property
    def shown(self) -> list[list[str]]:
        """The addresses of each call."""
        return list(self._service.shown)

    async def _connect(self) -> MessageBus:
        bus = await super()._connect()
        bus.export(PATH, self._service)
        assert await bus.request_name(NAME) is RequestNameReply.PRIMARY_OWNER
        return bus
