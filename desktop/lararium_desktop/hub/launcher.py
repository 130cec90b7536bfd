"""Opens the window: one process, started when none is attached, brought to the front when one is.

The window is no part of the hub's life: it has a session of its own, finds the hub through its
files like every other client, and the hub ends no window save by asking it to close.
"""

import logging
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio
from anyio import to_thread

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import WindowShown
from lararium_daemon.system.process_table import start_time
from lararium_desktop.hub.native import NativeChannel
from lararium_desktop.system.command import own_command

logger = logging.getLogger(__name__)

ATTACH_SECONDS = 30.0
"""A cold start of WebKit on a busy machine takes seconds."""
LEAVE_SECONDS = 5.0
"""How long a window that has no line may take to end, or to take its line up again."""
CLOSE_SECONDS = 5.0
POLL_SECONDS = 0.1
LOG_BYTES = 2_000

_CLOSED = "The window closed before it was open."


@dataclass(frozen=True)
class _Started:
    """A window's process."""

    process: subprocess.Popen[bytes]
    at: float
    """By the monotonic clock."""

    def runs(self) -> bool:
        """Whether it has not ended; while the reaper is at it, `poll` alone says it has not."""
        return self.process.poll() is None and start_time(self.process.pid) is not None


class WindowLauncher:
    """Shows the one window of a hub."""

    def __init__(
        self,
        native: NativeChannel,
        environment: Mapping[str, str],
        log: Path,
        command: Sequence[str] | None = None,
        *,
        attach_seconds: float = ATTACH_SECONDS,
        leave_seconds: float = LEAVE_SECONDS,
    ) -> None:
        """Launch windows for the hub that has this channel.

        Args:
            native: Where a window attaches.
            environment: The hub's.
            log: Takes what the window process prints.
            command: What starts a window; None for the app's own.
            attach_seconds: How long a start may take.
            leave_seconds: How long a window may be without its line.
        """
        self._native = native
        self._environment = environment
        self._log = log
        self._command = own_command("_window") if command is None else command
        self._attach_seconds = attach_seconds
        self._leave_seconds = leave_seconds
        self._display: Mapping[str, str] = {}
        self._last: _Started | None = None
        self._lock = anyio.Lock()

    async def show(self, display: Mapping[str, str]) -> WindowShown:
        """Bring the window to the front, or start one with these variables of a screen.

        Without any it is the screen of the last window.

        Raises:
            LarariumError: `window_failed` with the last lines it printed, or what
                `NativeChannel.request` raises.
        """
        async with self._lock:
            self._display = display or self._display
            pid = await self._bring_forward() if self._native.is_attached else None
            if pid is not None:
                return WindowShown(pid=pid, started=False)
            window = self._last
            if window is None or not await self._attaches_late(window):
                window = await self._start_anew()
            return WindowShown(pid=window.process.pid, started=True)

    async def _bring_forward(self) -> int | None:
        """Give the process of the window that came to the front; None when it just left."""
        try:
            return int(await self._native.request("show") or 0)
        except LarariumError as error:
            if error.code != "no_window":
                raise
            return None

    async def _attaches_late(self, last: _Started) -> bool:
        """Wait for the window that was started before; one that does not come is ended.

        It may be starting still, or ending because it was just closed.
        """
        if not last.runs():
            return False
        left = last.at + self._attach_seconds - time.monotonic()
        if await self._attaches(last, max(left, self._leave_seconds)):
            return True
        if last.runs():
            logger.warning("The window (%s) does not come; it is replaced", last.process.pid)
            await to_thread.run_sync(_end, last.process)
        return False

    async def _start_anew(self) -> _Started:
        self._last = started = await to_thread.run_sync(self._start, self._display)
        if await self._attaches(started, self._attach_seconds):
            return started
        how = "The window did not open in time." if started.runs() else _CLOSED
        raise _failure(how, self._tail())

    async def close(self) -> None:
        """Ask the window to close, and wait a bounded time until it is gone."""
        if not self._native.is_attached:
            return
        try:
            await self._native.request("close")
        except LarariumError as error:
            logger.info("The window did not answer that it closes: %s", error.detail)
        await self._native.wait_detached(CLOSE_SECONDS)

    def _start(self, display: Mapping[str, str]) -> _Started:
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                self._command,
                env={**self._environment, **display},
                cwd=Path.home(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        # A window that ends while nobody asks for one would stay a zombie.
        threading.Thread(target=process.wait, name="window-reaper", daemon=True).start()
        return _Started(process, time.monotonic())

    async def _attaches(self, started: _Started, seconds: float) -> bool:
        """Wait for whichever comes first: the window attaches, or its process ends."""
        with anyio.move_on_after(seconds):
            while not await self._native.wait_attached(POLL_SECONDS):
                if not started.runs():
                    return False
        return self._native.is_attached

    def _tail(self) -> str:
        try:
            text = self._log.read_bytes()[-LOG_BYTES:].decode("utf-8", "replace")
        except OSError:
            return ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a window's process; one that does not hear is killed."""
    process.terminate()
    try:
        process.wait(CLOSE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


def _failure(what: str, last_line: str) -> LarariumError:
    said = f" It said: {last_line}" if last_line else ""
    return LarariumError(
        "window_failed", f"{what}{said} The page works in a browser: lararium open --print", 502
    )
