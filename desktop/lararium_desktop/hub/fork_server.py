"""Keeps a fork server beside the hub, so that a project's daemon is ready in a tenth of the time.

The server ends with the hub, however the hub ends: it waits for the end of its standard input.
What it has forked lives on. When it fails it is started again, a few times; without one, daemons
start as everywhere, only slower. Linux alone has one: elsewhere a fork is not safe.
"""

import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from lararium_daemon.client.command import own_command
from lararium_daemon.system.environment import daemon_environment
from lararium_daemon.system.exit_codes import CODE_CHANGED
from lararium_daemon.system.forked import open_output
from lararium_daemon.system.processes import wait_exit

logger = logging.getLogger(__name__)

OUTPUT_NAME = "fork-server.out"
RESTARTS, RESTARTS_SECONDS = 5, 60.0
"""So many starts in so many seconds, and it is left alone."""
PAUSE_SECONDS = 0.5
"""Before a server that failed is started again; twice as long each time."""
END_SECONDS = 2.0


async def keep_fork_server(
    folder: Path,
    environment: Mapping[str, str],
    *,
    command: Sequence[str] | None = None,
    pause_seconds: float = PAUSE_SECONDS,
) -> None:
    """Keep one running until cancelled; return early where there can be none.

    Args:
        folder: The hub's own, where the socket and the server's output go.
        environment: What the hub gives to daemons.
        command: What starts a server, `_fork_server --folder DIR` is added; None for `lar`.
        pause_seconds: Before the second start after a failure.
    """
    if sys.platform != "linux":
        return
    starts: deque[float] = deque(maxlen=RESTARTS)
    pause = pause_seconds
    while True:
        if len(starts) == RESTARTS and anyio.current_time() - starts[0] < RESTARTS_SECONDS:
            logger.warning(
                "The fork server ended %s times; daemons start without. See %s",
                RESTARTS,
                folder / OUTPUT_NAME,
            )
            return
        starts.append(anyio.current_time())
        try:
            code = await _run(folder, environment, command or own_command())
        except OSError as error:
            code = error.errno
        if code == CODE_CHANGED:
            logger.info("Another version is on disk: the fork server starts again")
            pause = pause_seconds
            continue
        logger.warning("The fork server ended with %s", code)
        await anyio.sleep(pause)
        pause *= 2


async def _run(folder: Path, environment: Mapping[str, str], command: Sequence[str]) -> int:
    """Run one to its end, or end it when cancelled; return its exit code."""
    process = await to_thread.run_sync(_start, folder, environment, command)
    try:
        await wait_exit(process.pid)
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    return process.returncode or 0


def _start(
    folder: Path, environment: Mapping[str, str], command: Sequence[str]
) -> "subprocess.Popen[bytes]":
    (folder / OUTPUT_NAME).unlink(missing_ok=True)
    output = open_output(folder / OUTPUT_NAME)
    try:
        return subprocess.Popen(
            [*command, "_fork_server", "--folder", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=output,
            cwd=folder,
            env=daemon_environment(environment),
            start_new_session=True,
        )
    finally:
        os.close(output)


async def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        process.stdin.close()
    with anyio.move_on_after(END_SECONDS):
        await wait_exit(process.pid)
    process.kill()  # nothing happens to one that has ended
    await to_thread.run_sync(process.wait)
