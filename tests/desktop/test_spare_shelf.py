"""The hub keeps one process that waits to be a daemon, where a fork is not safe."""

import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import psutil
import pytest
from anyio import to_thread
from tests.fakes.small_daemon import COMMAND

from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir
from lararium_desktop.hub.spare_shelf import SpareShelf

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="small daemons have Linux's guardian"),
]
LOOK_SECONDS = 0.01

Start = Callable[[SpareShelf], Awaitable[StartedDaemon]]


def spares(folder: Path) -> list[psutil.Process]:
    """Give the processes that wait; one that works has another folder."""
    found: list[psutil.Process] = []
    for child in psutil.Process().children():
        with suppress(psutil.Error):
            if "_spare" in child.cmdline() and child.cwd() == str(folder / "hub"):
                found.append(child)
    return found


async def the_spare(folder: Path, other_than: int = 0) -> psutil.Process:
    with anyio.fail_after(15):
        while True:
            found = [each for each in spares(folder) if each.pid != other_than]
            if found:
                return found[0]
            await anyio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def kept(folder: Path, **variables: str) -> AsyncGenerator[SpareShelf]:
    shelf = SpareShelf(ensure_private_dir(folder / "hub"), os.environ | variables, COMMAND)
    async with anyio.create_task_group() as hub:
        hub.start_soon(shelf.keep, LOOK_SECONDS)
        yield shelf
        hub.cancel_scope.cancel()


@pytest.fixture
def start(workspace: Path, paths: WorkspacePaths) -> Iterator[Start]:
    """How to start the workspace's daemon; it ends with the test."""

    async def start(shelf: SpareShelf) -> StartedDaemon:
        return await to_thread.run_sync(
            lambda: start_daemon(workspace, os.environ, command=COMMAND, take_spare=shelf.take)
        )

    yield start
    stop_daemon(paths)


async def test_a_daemon_is_made_of_the_one_that_waits_and_another_one_waits(
    start: Start, tmp_path: Path
) -> None:
    async with kept(tmp_path) as shelf:
        waiting = await the_spare(tmp_path)
        started = await start(shelf)
        assert psutil.Process(started.pid).ppid() == waiting.pid
        assert (await the_spare(tmp_path, waiting.pid)).pid != waiting.pid


async def test_one_that_waits_ends_with_the_hub_and_one_that_works_does_not(
    start: Start, tmp_path: Path
) -> None:
    async with kept(tmp_path) as shelf:
        waiting = await the_spare(tmp_path)
        started = await start(shelf)
        await the_spare(tmp_path, waiting.pid)
    assert spares(tmp_path) == []
    assert started.handle.is_alive()


async def test_one_with_old_code_declines_and_the_daemon_starts_anew(
    start: Start, tmp_path: Path
) -> None:
    async with kept(tmp_path, SMALL_DAEMON="outdated") as shelf:
        waiting = await the_spare(tmp_path)
        started = await start(shelf)
        assert psutil.Process(started.pid).ppid() != waiting.pid
        assert not waiting.is_running()


async def test_one_that_was_killed_is_replaced(tmp_path: Path) -> None:
    async with kept(tmp_path):
        waiting = await the_spare(tmp_path)
        waiting.kill()
        assert (await the_spare(tmp_path, waiting.pid)).pid != waiting.pid


async def test_a_folder_that_is_guarded_is_not_guarded_twice(start: Start, tmp_path: Path) -> None:
    async with kept(tmp_path) as shelf:
        await the_spare(tmp_path)
        first = await start(shelf)
        again = await start(shelf)
    assert (again.guid, again.already_running) == (first.guid, True)
