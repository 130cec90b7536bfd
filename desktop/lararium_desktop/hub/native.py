"""The one native channel: what only a window process can do, asked for and answered.

The window process connects to the hub as a WebSocket client; the hub sends it numbered requests
and waits, each wait bounded. Without a window every request is 501 `no_window`. This module knows
no WebSocket: the route hands in how to send, and feeds the replies.
"""

import logging
import math
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count

import anyio

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import NativeReply, NativeRequest

logger = logging.getLogger(__name__)

Send = Callable[[NativeRequest], Awaitable[None]]
"""Sends to the window; raises LarariumError `no_window` once its line is gone."""

PERSON_SECONDS = 600.0
"""How long a dialog may stay open before nobody is taken to be there."""
ANSWER_SECONDS = 5.0
"""How long the window may take for what needs no person."""


class _Waiting:
    """A request that was sent and has no reply yet."""

    def __init__(self, method: str) -> None:
        self.method = method
        self.done = anyio.Event()
        self.reply: NativeReply | None = None
        """None when the window went away first."""


class NativeChannel:
    """The attached window, at most one, and the requests it has not answered yet."""

    def __init__(self, changed: Callable[[], None] = lambda: None) -> None:
        """`changed` is called whenever a window attaches or leaves; it must not block."""
        self._changed = changed
        self._send: Send | None = None
        self._waiting: dict[int, _Waiting] = {}
        self._numbers = count(1)
        self._moved = anyio.Event()

    @property
    def is_attached(self) -> bool:
        """Whether a window is there."""
        return self._send is not None

    @asynccontextmanager
    async def attach(self, send: Send) -> AsyncGenerator[None]:
        """Hold the channel while the window's connection lasts.

        Raises:
            LarariumError: `window_attached` when another window holds it.
        """
        if self._send is not None:
            raise LarariumError("window_attached", "Another window is attached to this hub.", 409)
        self._send = send
        self._announce()
        try:
            yield
        finally:
            self._send = None
            for waiting in self._waiting.values():
                waiting.done.set()
            self._announce()

    def take(self, reply: NativeReply) -> None:
        """Hand a reply to whoever waits for it; a late one is dropped."""
        waiting = self._waiting.get(reply.id)
        if waiting is None:
            logger.info("Dropped a late answer of the window: %s", reply.id)
            return
        waiting.reply = reply
        waiting.done.set()

    async def wait_attached(self, seconds: float) -> bool:
        """Wait until a window is there; False when none came in time."""
        with anyio.move_on_after(seconds):
            while self._send is None:
                await self._moved.wait()
        return self._send is not None

    async def wait_detached(self, seconds: float) -> bool:
        """Wait until no window is there; False when it is still there after that time."""
        with anyio.move_on_after(seconds):
            while self._send is not None:
                await self._moved.wait()
        return self._send is None

    async def pick_folder(self, title: str) -> str | None:
        """Let the person choose a folder; None when the dialog was cancelled.

        Raises:
            LarariumError: `no_window`, `dialog_open`, `native_failed` or `native_timeout`.
        """
        if any(waiting.method == "pick_folder" for waiting in self._waiting.values()):
            raise LarariumError("dialog_open", "The folder dialog is open already.", 409)
        return await self.request("pick_folder", {"title": title}, seconds=PERSON_SECONDS)

    async def request(
        self, method: str, params: dict[str, str] | None = None, *, seconds: float = ANSWER_SECONDS
    ) -> str | None:
        """Send one request and wait for its reply.

        Raises:
            LarariumError: `no_window` (also when it left meanwhile), `native_failed` with the
                window's own words, or `native_timeout`.
        """
        send = self._send
        if send is None:
            raise no_window()
        request = NativeRequest.model_validate({
            "id": next(self._numbers),
            "method": method,
            "params": params or {},
        })
        waiting = self._waiting[request.id] = _Waiting(method)
        try:
            with anyio.move_on_after(seconds):
                await send(request)
                await waiting.done.wait()
        finally:
            del self._waiting[request.id]
        return _result(waiting, seconds)

    def _announce(self) -> None:
        self._moved.set()
        self._moved = anyio.Event()
        self._changed()


def _result(waiting: _Waiting, seconds: float) -> str | None:
    if waiting.reply is not None:
        if waiting.reply.error:
            raise LarariumError("native_failed", waiting.reply.error, 502)
        return waiting.reply.result
    if waiting.done.is_set():
        raise no_window()
    raise LarariumError(
        "native_timeout", f"The window did not answer within {math.ceil(seconds)} s.", 504
    )


def no_window() -> LarariumError:
    """Say that nobody is there who could do it."""
    return LarariumError(
        "no_window",
        "No window is open, so the desktop cannot be asked. Type or copy it instead.",
        501,
    )
