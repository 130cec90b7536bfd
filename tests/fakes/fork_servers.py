"""A running fork server: of small daemons, or of real ones; ended with its test."""

import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from lararium_daemon.client.command import own_command
from lararium_daemon.system.fork_request import SOCKET_NAME
from lararium_daemon.system.paths import ensure_private_dir

SECONDS = 20


@dataclass(frozen=True)
class RunningForkServer:
    process: subprocess.Popen[bytes]
    folder: Path

    @property
    def socket(self) -> Path:
        return self.folder / SOCKET_NAME

    def made(self, pid: int) -> bool:
        """Whether a daemon's guardian was forked by this server."""
        guardian = psutil.Process(pid).parent()
        return guardian is not None and guardian.ppid() == self.process.pid

    def zombies(self) -> list[int]:
        children = psutil.Process(self.process.pid).children()
        return [child.pid for child in children if child.status() == psutil.STATUS_ZOMBIE]


@contextmanager
def fork_server(
    folder: Path, command: Sequence[str] | None = None, **variables: str
) -> Generator[RunningForkServer]:
    """Run one; real daemons' without a `command`. It listens when this gives it."""
    ensure_private_dir(folder)
    (folder / SOCKET_NAME).unlink(missing_ok=True)  # left by one that was killed
    process = subprocess.Popen(
        [*(command or own_command()), "_fork_server", "--folder", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=sys.stderr if command is None else None,
        env=os.environ | variables,
        start_new_session=True,
    )
    assert process.stdin is not None
    server = RunningForkServer(process, folder)
    try:
        _wait_for(server)
        yield server
    finally:
        process.stdin.close()
        process.wait(SECONDS)


def _wait_for(server: RunningForkServer) -> None:
    give_up = time.monotonic() + SECONDS
    while not server.socket.exists():
        if server.process.poll() is not None or time.monotonic() > give_up:
            raise TimeoutError(f"the fork server ended with {server.process.poll()}")
        time.sleep(0.01)
