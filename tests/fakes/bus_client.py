"""A connection to one session bus, from a test that itself runs no event loop."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from anyio.from_thread import BlockingPortal, start_blocking_portal
from dbus_fast import BusType
from dbus_fast.aio import MessageBus


class BusClient:
    """Connected while it is entered; its loop runs in a thread of its own."""

    def __init__(self, bus_address: str) -> None:
        self._address = bus_address
        self._stack = ExitStack()

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

    async def _connect(self) -> MessageBus:
        return await MessageBus(bus_address=self._address, bus_type=BusType.SESSION).connect()

    async def _disconnect(self) -> None:
        self._bus.disconnect()
        await self._bus.wait_for_disconnect()
