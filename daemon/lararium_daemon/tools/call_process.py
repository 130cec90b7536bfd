"""Runs a command for a call: its output into a spool, its end by the process, not by its pipe.

The pipe's other end may live on in a background child, so nothing waits for it to close; when the
call has ended such a child can no longer print. Time-out and cancellation end everything the call
started, found by session, by mark and by descent. Linux and macOS; not run on Windows.
"""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from lararium_daemon.system.environment import CALL_MARK
from lararium_daemon.system.processes import end_tree, wait_exit
from lararium_daemon.tools.context import Progress
from lararium_daemon.tools.spool import PROGRESS_BYTES, Spool

PROGRESS_SECONDS = 0.1
_READ_BYTES = 256 * 1024
_PIPE_BYTES = 1024 * 1024
_TERMINAL_SIZE = (40, 120)
"""Rows and columns."""
_SET_PIPE_SIZE = 1031
"""Linux: F_SETPIPE_SZ; Python 3.11 does not name it."""


@dataclass(slots=True, frozen=True)
class Finished:
    """How a command ended."""

    exit_code: int | None
    """Negative: the signal that ended it. None: it was ended for taking too long."""
    seconds: float

    @property
    def timed_out(self) -> bool:
        """Whether it took too long."""
        return self.exit_code is None


@dataclass(slots=True, frozen=True)
class Launch:
    """What to run, and where."""

    argv: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    mark: str
    """The call's id."""
    timeout_seconds: float
    terminal: bool = False
    """Whether it writes to a terminal; there is nothing to read from it either way."""


async def run_process(launch: Launch, spool: Spool, progress: Progress) -> Finished:
    """Run a command to its end; cancelling ends all that it started.

    Raises:
        OSError: it cannot be started.
    """
    started = time.monotonic()
    read_end, write_end = _open_terminal() if launch.terminal else os.pipe()
    try:
        _widen(read_end)
        os.set_blocking(read_end, False)
        try:
            process = _start(launch, write_end)
        finally:
            os.close(write_end)
        timed_out = await _attend(process, launch, read_end, spool, progress)
        _drain(read_end, spool)
    finally:
        os.close(read_end)
    return Finished(None if timed_out else process.returncode, time.monotonic() - started)


def _start(launch: Launch, output: int) -> subprocess.Popen[bytes]:
    # Popen on this thread: 0.3 ms, where the event loop's own spawn costs 8 on uvloop. It must have
    # no preexec_fn, or it would fork instead of vfork.
    return subprocess.Popen(
        launch.argv,
        cwd=launch.folder,
        env={**launch.environment, CALL_MARK: launch.mark},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
    )


async def _attend(
    process: subprocess.Popen[bytes],
    launch: Launch,
    read_end: int,
    spool: Spool,
    progress: Progress,
) -> bool:
    """Read and wait until the process ends; give whether it was ended for taking too long."""
    timed_out = False
    try:
        async with anyio.create_task_group() as reading:
            reading.start_soon(_pump, read_end, spool)
            reading.start_soon(_show, spool, progress)
            with anyio.move_on_after(launch.timeout_seconds) as limit:
                await wait_exit(process.pid)
            timed_out = limit.cancelled_caught
            if timed_out:
                await _end(process.pid, launch.mark)
            reading.cancel_scope.cancel()
    except anyio.get_cancelled_exc_class():
        await _end(process.pid, launch.mark)
        raise
    finally:
        process.poll()
    return timed_out


async def _end(pid: int, mark: str) -> None:
    # The whole group at one stroke: were the inner process to die first, the shell around it would
    # go on with the next command. The leader is not reaped yet, so the number is still its own.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGTERM)
    await end_tree(pid, mark=mark)


async def _pump(read_end: int, spool: Spool) -> None:
    while True:
        await anyio.wait_readable(read_end)
        try:
            data = os.read(read_end, _READ_BYTES)
        except BlockingIOError:
            continue
        except OSError:  # nobody has the terminal open any more
            return
        if not data:
            return
        spool.add(data)


async def _show(spool: Spool, progress: Progress) -> None:
    shown = 0
    while True:
        await anyio.sleep(PROGRESS_SECONDS)
        if spool.total != shown:
            shown = spool.total
            progress(spool.tail(PROGRESS_BYTES), shown)


def _drain(read_end: int, spool: Spool) -> None:
    """Read what the pipe holds now; a background child may go on filling it."""
    left = _PIPE_BYTES
    while left > 0:
        try:
            data = os.read(read_end, _READ_BYTES)
        except OSError:  # nothing is there now, or nobody has the terminal open any more
            return
        if not data:
            return
        spool.add(data)
        left -= len(data)


def _open_terminal() -> tuple[int, int]:
    """Give both ends of a new terminal that shows what is written as it is written.

    It controls no process: the command's session has none, so nothing can be asked on /dev/tty.
    """
    # Not on Windows, where the tool refuses before.
    import fcntl
    import pty
    import struct
    import termios

    read_end, write_end = pty.openpty()
    modes = termios.tcgetattr(write_end)
    modes[1] &= ~termios.OPOST
    termios.tcsetattr(write_end, termios.TCSANOW, modes)
    fcntl.ioctl(write_end, termios.TIOCSWINSZ, struct.pack("HHHH", *_TERMINAL_SIZE, 0, 0))
    return read_end, write_end


def _widen(read_end: int) -> None:
    """Let the pipe hold more, so that a loud command wakes this process less often."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.fcntl(read_end, _SET_PIPE_SIZE, _PIPE_BYTES)
    except OSError:  # not Linux, or the user's quota of pipe memory is spent
        return
