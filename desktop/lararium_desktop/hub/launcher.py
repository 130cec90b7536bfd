"""Opens the window: one process, started when none is attached, brought to the front when one is.

The window is no part of the hub's life: it has a session of its own, finds the hub through its
files like every other client, and the hub ends no window save by asking it to close.
"""

import logging
import subprocess
import threading
from collections.abc import Mapping
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
CLOSE_SECONDS = 5.0
LOG_BYTES = 2_000


class WindowLauncher:
    """Shows the one window of a hub."""

    def __init__(self, native: NativeChannel, environment: Mapping[str, str], log: Path) -> None:
        """`environment` is the hub's; `log` takes what the window process prints."""
        self._native = native
        self._environment = environment
        self._log = log
        self._display: Mapping[str, str] = {}
        self._process: subprocess.Popen[bytes] | None = None
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
            if self._native.is_attached:
                pid = await self._native.request("show")
                return WindowShown(pid=int(pid or 0), started=False)
            if self._process is None or not _runs(self._process):
                self._process = await to_thread.run_sync(self._start, self._display)
            await self._wait(self._process)
            return WindowShown(pid=self._process.pid, started=True)

    async def close(self) -> None:
        """Ask the window to close, and wait a bounded time until it is gone."""
        if not self._native.is_attached:
            return
        try:
            await self._native.request("close")
        except LarariumError as error:
            logger.info("The window did not answer that it closes: %s", error.detail)
        await self._native.wait_detached(CLOSE_SECONDS)

    def _start(self, display: Mapping[str, str]) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                own_command("_window"),
                env={**self._environment, **display},
                cwd=Path.home(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        # A window that ends while nobody asks for one would stay a zombie.
        threading.Thread(target=process.wait, name="window-reaper", daemon=True).start()
        return process

    async def _wait(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for whichever comes first: the window attaches, or its process ends."""
        with anyio.move_on_after(ATTACH_SECONDS):
            while not await self._native.wait_attached(0.1):
                if process.poll() is not None:
                    raise _failure("The window closed before it was open.", self._tail())
        if not self._native.is_attached:
            raise _failure("The window did not open in time.", self._tail())

    def _tail(self) -> str:
        try:
            text = self._log.read_bytes()[-LOG_BYTES:].decode("utf-8", "replace")
        except OSError:
            return ""
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ""


def _runs(process: subprocess.Popen[bytes]) -> bool:
    """Whether it has not ended; while the reaper is at it, `poll` alone says it has not."""
    return process.poll() is None and start_time(process.pid) is not None


def _failure(what: str, last_line: str) -> LarariumError:
    said = f" It said: {last_line}" if last_line else ""
    return LarariumError(
        "window_failed", f"{what}{said} The page works in a browser: lararium open --print", 502
    )
