"""Opens the window again that ended without being closed.

A window that the person closes, or that is told to, takes leave of the hub; one that crashed or
was killed does not. The hub knows no more of it than its process: it may have been opened by a hub
before this one.
"""

import logging
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext

import anyio

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.process_table import is_alive, start_time
from lararium_daemon.system.processes import wait_exit
from lararium_desktop.system.restarts import Restarts

logger = logging.getLogger(__name__)

END_SECONDS = 60.0
"""How long a window whose line was cut may take to end: a crash is written to disk before."""
LOOK_SECONDS = 0.25
TRIES = 2
"""A start may fail by accident; one that fails again has a reason: the screen may be gone."""


class WindowProcess:
    """The process of an attached window."""

    def __init__(self, pid: int) -> None:
        """Take the process that has this number now."""
        self.pid = pid
        self._start = start_time(pid)

    def is_alive(self) -> bool:
        """Whether it still runs."""
        return self._start is not None and is_alive(self.pid, self._start)


class WindowKeeper:
    """Keeps the window that the person has open."""

    def __init__(
        self,
        show: Callable[[], Awaitable[object]],
        is_attached: Callable[[], bool],
        *,
        needed: Callable[[], AbstractContextManager[None]] = nullcontext,
        restarts: Restarts | None = None,
        end_seconds: float = END_SECONDS,
    ) -> None:
        """Keep the window of one hub.

        Args:
            show: Opens the window where it was last, and raises LarariumError when it cannot.
            is_attached: Whether a window is there.
            needed: Keeps the hub from ending while it is to open a window.
            restarts: Counts the windows that were opened again.
            end_seconds: How long a window without a line may take to end.
        """
        self._show = show
        self._is_attached = is_attached
        self._needed = needed
        self._restarts = restarts or Restarts()
        self._end_seconds = end_seconds
        self._lost: WindowProcess | None = None
        self._moved = anyio.Event()

    def lose(self, process: WindowProcess) -> None:
        """Take note that the line to this window was cut without a word."""
        self._lost = process
        self._moved.set()

    async def run(self) -> None:
        """Open lost windows again, until cancelled."""
        while True:
            await self._moved.wait()
            self._moved = anyio.Event()
            if self._lost is None:
                continue
            with self._needed():
                if await self._has_ended(self._lost):
                    await self._open_again(self._lost.pid)

    async def _has_ended(self, process: WindowProcess) -> bool:
        """Wait until the process is gone; False when it stays, or a window is attached again."""
        with anyio.move_on_after(self._end_seconds):
            while process.is_alive() and not self._is_attached():
                with anyio.move_on_after(LOOK_SECONDS):
                    await wait_exit(process.pid)
        if self._is_attached():
            return False
        if process.is_alive():
            logger.warning("The window (%s) has no line to the hub and does not end", process.pid)
            return False
        return True

    async def _open_again(self, pid: int) -> None:
        for _ in range(TRIES):
            pause = self._restarts.note()
            logger.warning("The window (%s) ended by itself; it opens again in %.0f s", pid, pause)
            await anyio.sleep(pause)
            if self._is_attached():
                return
            try:
                await self._show()
            except LarariumError as error:
                # Its screen may be gone; the person opens it again when there is one.
                logger.warning("The window does not open again: %s", error.detail)
            else:
                return
