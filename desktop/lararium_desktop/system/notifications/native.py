"""Notifications with buttons, by `desktop-notifier`, in a thread with a loop of its own.

Whatever the system does there (a bus that hangs, a library that blocks while it is imported), the
caller waits a bounded time and goes on. macOS takes presses only on the main thread's run loop and
shows nothing for a program without a signed bundle; Windows needs an app id: neither has been run.
"""

import asyncio
import logging
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio

from lararium_desktop.system.notifications.short_text import escape_markup
from lararium_desktop.system.notifications.toast import CLICK, OnAction, Toast

if TYPE_CHECKING:
    from desktop_notifier.backends.base import DesktopNotifierBackend

logger = logging.getLogger(__name__)

APP_NAME = "Lararium"
ICON_NAME = "lararium"
START_SECONDS = 1.0
SHOW_SECONDS = 5.0
CLOSE_SECONDS = 1.5
REST_SECONDS = 30.0
"""After a failure the system is left alone for so long."""


class NativeToaster:
    """The system's own notifications."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._started = threading.Event()
        self._backend: DesktopNotifierBackend | None = None
        self._rest_until = 0.0

    @property
    def name(self) -> str:
        """What it is called in the log."""
        return "desktop-notifier"

    async def show(self, toast: Toast, on_action: OnAction) -> bool:
        """Show a notification, or replace the one with its key; False when it could not be."""
        if time.monotonic() < self._rest_until:
            return False
        hub_loop = asyncio.get_running_loop()

        def press(action: str) -> None:
            with suppress(RuntimeError):  # the hub has ended
                hub_loop.call_soon_threadsafe(on_action, action)

        shown = await self._call(lambda: self._send(toast, press), SHOW_SECONDS)
        if not shown:
            self._rest_until = time.monotonic() + REST_SECONDS
        return bool(shown)

    async def withdraw(self, key: str) -> None:
        """Take a notification back; harmless when it is gone."""
        if self._backend is not None:
            await self._call(lambda: self._clear(key), SHOW_SECONDS)

    async def close(self) -> None:
        """Take all back and end the thread, or leave it behind when it does not answer."""
        loop, stop = self._loop, self._stop
        if loop is None or stop is None:
            return
        await self._call(self._clear_all, CLOSE_SECONDS)
        loop.call_soon_threadsafe(stop.set)
        if self._thread is not None:
            await anyio.to_thread.run_sync(self._thread.join, CLOSE_SECONDS)

    async def _call(
        self, make: Callable[[], Coroutine[Any, Any, bool]], seconds: float
    ) -> bool | None:
        """Do it in the thread; None when it failed or took too long."""
        loop = await self._running_loop()
        if loop is None:
            return None
        done, own_loop = anyio.Event(), asyncio.get_running_loop()
        waiting = asyncio.run_coroutine_threadsafe(make(), loop)
        waiting.add_done_callback(lambda _: _wake(own_loop, done))
        with anyio.move_on_after(seconds):
            await done.wait()
        if not waiting.done():
            waiting.cancel()
            logger.warning("The system's notifications did not answer in %s s", seconds)
            return None
        if waiting.cancelled():
            return None
        error = waiting.exception()  # whatever a system's library raises: the next way is tried
        if error is not None:
            logger.warning("The system's notifications failed", exc_info=error)
            return None
        return waiting.result()

    async def _running_loop(self) -> asyncio.AbstractEventLoop | None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="notifications", daemon=True)
            self._thread.start()
        if self._loop is None:
            await anyio.to_thread.run_sync(self._started.wait, START_SECONDS)
        return self._loop

    def _serve(self) -> None:
        anyio.run(self._wait)

    async def _wait(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._started.set()
        await self._stop.wait()
        self._let_go()

    def _let_go(self) -> None:
        """Begin anew next time: the bus or its service may be another one by then."""
        bus = getattr(self._backend, "bus", None)
        self._backend = None
        if bus is not None:
            bus.disconnect()

    async def _send(self, toast: Toast, press: OnAction) -> bool:
        from desktop_notifier.common import Button, Notification

        dispatched: list[bool] = []
        try:
            backend = self._backend or await self._open()
            if backend is None:
                return False
            await backend.send(
                Notification(
                    title=toast.title,
                    message=await _message(backend, toast.body),
                    buttons=tuple(
                        Button(each.label, on_pressed=lambda action=each.action: press(action))
                        for each in toast.buttons
                    ),
                    on_clicked=lambda: press(CLICK),
                    on_dispatched=lambda: dispatched.append(True),
                    identifier=toast.key,
                )
            )
        finally:
            if not dispatched:
                self._let_go()
        return bool(dispatched)

    async def _open(self) -> "DesktopNotifierBackend | None":
        """Find the system's notifications; None when they would show nothing."""
        from desktop_notifier.common import Icon
        from desktop_notifier.main import get_backend_class

        icon = Icon(name=ICON_NAME)
        if sys.platform == "linux":
            from lararium_desktop.system.notifications.freedesktop import ReplacingNotifier

            backend: DesktopNotifierBackend = ReplacingNotifier(APP_NAME, icon)
        else:
            backend = get_backend_class()(APP_NAME, icon)
        if type(backend).__name__ == "DummyNotificationCenter":
            return None
        await backend.request_authorisation()
        self._backend = backend
        return backend

    async def _clear(self, key: str) -> bool:
        if self._backend is not None and key in await self._backend.get_current_notifications():
            await self._backend.clear(key)
        return True

    async def _clear_all(self) -> bool:
        if self._backend is not None:
            await self._backend.clear_all()
        return True


def _wake(loop: asyncio.AbstractEventLoop, done: anyio.Event) -> None:
    with suppress(RuntimeError):  # the hub has ended
        loop.call_soon_threadsafe(done.set)


async def _message(backend: "DesktopNotifierBackend", body: str) -> str:
    """Give the body as the system shows it literally."""
    await backend.get_capabilities()
    return escape_markup(body) if getattr(backend, "reads_markup", False) else body
