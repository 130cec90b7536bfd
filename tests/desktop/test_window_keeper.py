"""A window that ended without being closed opens again, and one that lives is left alone."""

import subprocess
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import anyio
import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.window_keeper import WindowKeeper, WindowProcess
from lararium_desktop.system.restarts import Restarts

pytestmark = pytest.mark.anyio


class Screen:
    """Where windows open."""

    def __init__(self, *, works: bool = True) -> None:
        self.works = works
        self.opened = 0
        self.is_attached = False
        self.moved = anyio.Event()

    async def show(self) -> None:
        self.opened += 1
        self.moved.set()
        self.moved = anyio.Event()
        if not self.works:
            raise LarariumError("window_failed", "There is no screen.", 502)

    async def wait_opened(self, times: int) -> None:
        with anyio.fail_after(10):
            while self.opened < times:
                await self.moved.wait()


@contextmanager
def program() -> Generator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["sleep", "60"]) as running:
        try:
            yield running
        finally:
            running.kill()


def gone() -> WindowProcess:
    with program() as running:
        process = WindowProcess(running.pid)
    return process


def keeper_of(screen: Screen, restarts: Restarts | None = None) -> WindowKeeper:
    return WindowKeeper(screen.show, lambda: screen.is_attached, restarts=restarts, end_seconds=0.2)


@asynccontextmanager
async def at_work(keeper: WindowKeeper) -> AsyncGenerator[None]:
    async with anyio.create_task_group() as group:
        group.start_soon(keeper.run)
        yield
        group.cancel_scope.cancel()


async def wait_idle(keeper: WindowKeeper) -> None:
    """Wait until the keeper has done with what it was told."""
    with anyio.fail_after(10):
        while True:
            await anyio.sleep(0.01)
            if keeper._moved.statistics().tasks_waiting:  # pyright: ignore[reportPrivateUsage]
                return


async def test_a_window_whose_process_is_gone_opens_again_each_time():
    screen = Screen()
    keeper = keeper_of(screen)
    async with at_work(keeper):
        for times in (1, 2, 3):
            keeper.lose(gone())
            await screen.wait_opened(times)


async def test_a_window_that_is_killed_a_moment_after_its_line_opens_again():
    screen = Screen()
    keeper = WindowKeeper(screen.show, lambda: screen.is_attached, end_seconds=10)
    async with at_work(keeper):
        with program() as running:
            keeper.lose(WindowProcess(running.pid))
            await anyio.wait_all_tasks_blocked()
            assert screen.opened == 0
        await screen.wait_opened(1)


async def test_a_window_that_lives_or_came_back_is_left_alone():
    screen = Screen()
    keeper = WindowKeeper(screen.show, lambda: screen.is_attached, end_seconds=0)
    async with at_work(keeper):
        with program() as running:
            keeper.lose(WindowProcess(running.pid))
            await anyio.wait_all_tasks_blocked()
            assert screen.opened == 0
        screen.is_attached = True
        keeper.lose(gone())
        await anyio.wait_all_tasks_blocked()
        assert screen.opened == 0


async def test_a_window_that_took_its_line_up_again_may_be_closed_by_the_person() -> None:
    screen = Screen()
    keeper = WindowKeeper(screen.show, lambda: screen.is_attached)
    async with at_work(keeper):
        with program() as running:
            keeper.lose(WindowProcess(running.pid))
            screen.is_attached = True
            await wait_idle(keeper)
            screen.is_attached = False
        await anyio.wait_all_tasks_blocked()
        assert screen.opened == 0


async def test_the_hub_is_needed_until_the_window_is_open_again() -> None:
    screen, feed = Screen(), ShellFeed()
    restarts = Restarts(limit=1)
    restarts.note()  # so that the next one waits for the minute
    keeper = WindowKeeper(
        screen.show, lambda: screen.is_attached, needed=feed.followed, restarts=restarts
    )
    async with at_work(keeper):
        keeper.lose(gone())
        await anyio.wait_all_tasks_blocked()
        assert (screen.opened, feed.followers) == (0, 1)
    assert feed.followers == 0


async def test_a_window_that_cannot_open_is_tried_once_more_and_then_left_to_the_person():
    screen = Screen(works=False)
    keeper = keeper_of(screen)
    async with at_work(keeper):
        keeper.lose(gone())
        await screen.wait_opened(2)
        await anyio.wait_all_tasks_blocked()
        assert screen.opened == 2
        keeper.lose(gone())
        await screen.wait_opened(4)


async def test_a_window_that_keeps_ending_waits_for_the_minute():
    screen = Screen()
    keeper = keeper_of(screen, Restarts(limit=2))
    async with at_work(keeper):
        for times in (1, 2):
            keeper.lose(gone())
            await screen.wait_opened(times)
        keeper.lose(gone())
        await anyio.wait_all_tasks_blocked()
        assert screen.opened == 2
