"""The hub keeps a fork server, and is well without one."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import anyio
import psutil
import pytest
from tests.fakes.small_daemon import COMMAND

from lararium_daemon.client.forked_guardian import fork_guardian
from lararium_daemon.system.fork_request import SOCKET_NAME
from lararium_daemon.system.paths import ensure_private_dir
from lararium_desktop.hub.fork_server import OUTPUT_NAME, keep_fork_server

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return ensure_private_dir(tmp_path / "hub")


def servers(folder: Path) -> list[psutil.Process]:
    found: list[psutil.Process] = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):  # it may end meanwhile
            if child.status() != psutil.STATUS_ZOMBIE and str(folder) in child.cmdline():
                found.append(child)
    return found


async def the_server(folder: Path, other_than: int = 0) -> psutil.Process:
    with anyio.fail_after(15):
        while True:
            found = [each for each in servers(folder) if each.pid != other_than]
            if found and (folder / SOCKET_NAME).exists():
                return found[0]
            await anyio.sleep(0.02)


async def test_one_runs_while_the_hub_does_and_ends_with_it(folder: Path) -> None:
    async with anyio.create_task_group() as hub:
        hub.start_soon(lambda: keep_fork_server(folder, os.environ, command=COMMAND))
        await the_server(folder)
        hub.cancel_scope.cancel()
    assert servers(folder) == []
    assert not (folder / SOCKET_NAME).exists()
    assert (folder / OUTPUT_NAME).stat().st_mode & 0o077 == 0


async def test_one_that_is_killed_is_started_again(folder: Path) -> None:
    async with anyio.create_task_group() as hub:
        hub.start_soon(
            lambda: keep_fork_server(folder, os.environ, command=COMMAND, pause_seconds=0.01)
        )
        first = await the_server(folder)
        (folder / SOCKET_NAME).unlink()
        first.send_signal(signal.SIGKILL)
        await the_server(folder, other_than=first.pid)
        hub.cancel_scope.cancel()


async def test_one_whose_code_has_changed_is_started_again_at_once(
    folder: Path, tmp_path: Path
) -> None:
    variables = os.environ | {"SMALL_DAEMON": "outdated"}
    async with anyio.create_task_group() as hub:
        hub.start_soon(
            lambda: keep_fork_server(folder, variables, command=COMMAND, pause_seconds=3600)
        )
        first = await the_server(folder)
        asked = dict(os.environ)
        assert await anyio.to_thread.run_sync(fork_guardian, folder, tmp_path, tmp_path, asked) is (
            None
        )
        await the_server(folder, other_than=first.pid)
        hub.cancel_scope.cancel()


async def test_one_that_never_works_is_given_up(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    command = [sys.executable, "-c", "raise SystemExit('broken')"]
    with caplog.at_level(logging.WARNING), anyio.fail_after(30):
        await keep_fork_server(folder, os.environ, command=command, pause_seconds=0.001)
    assert "daemons start without" in caplog.messages[-1]
    assert (folder / OUTPUT_NAME).read_text(encoding="utf-8") == "broken\n"


HUB = """
import os, pathlib, sys, anyio
from tests.fakes.small_daemon import COMMAND
from lararium_desktop.hub.fork_server import keep_fork_server
anyio.run(lambda: keep_fork_server(pathlib.Path(sys.argv[1]), os.environ, command=COMMAND))
"""


def test_one_whose_hub_is_killed_ends(folder: Path) -> None:
    hub = subprocess.Popen([sys.executable, "-c", HUB, str(folder)])
    try:
        assert eventually((folder / SOCKET_NAME).exists)
        [server] = psutil.Process(hub.pid).children()
    finally:
        hub.kill()
        hub.wait(5)
    psutil.wait_procs([server], timeout=5)
    assert eventually(lambda: not (folder / SOCKET_NAME).exists())


def eventually(claim: Callable[[], bool], seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
