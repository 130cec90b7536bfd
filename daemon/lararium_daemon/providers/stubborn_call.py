"""Calls into code that may never come back, such as a keyring waiting for its password.

A worker thread of the event loop would keep the process from ending; these threads do not.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

import anyio

T = TypeVar("T")


class _Call(Generic[T]):
    def __init__(self, call: Callable[[], T]) -> None:
        self.done = anyio.Event()
        self.results: list[T] = []
        self.error: Exception | None = None
        self._call = call
        self._loop = asyncio.get_running_loop()

    def run(self) -> None:
        try:
            self.results.append(self._call())
        except Exception as error:  # noqa: BLE001 - raised again where the call is awaited
            self.error = error
        with suppress(RuntimeError):  # the loop has ended, nobody waits
            self._loop.call_soon_threadsafe(self.done.set)


async def call_patiently(call: Callable[[], T], seconds: float, name: str) -> T:
    """Call in a thread of its own; leave it behind when it takes longer than `seconds`.

    Raises:
        TimeoutError: It did; the call may still have its effect later.
    """
    job = _Call(call)
    threading.Thread(target=job.run, name=name, daemon=True).start()
    with anyio.fail_after(seconds):
        await job.done.wait()
    if job.error is not None:
        raise job.error
    return job.results[0]
