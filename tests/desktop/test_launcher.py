"""One window comes for each time it is asked for, whatever became of the one before."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import psutil
import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import NativeReply, NativeRequest
from lararium_desktop.hub.launcher import WindowLauncher
from lararium_desktop.hub.native import NativeChannel, no_window

pytestmark = pytest.mark.anyio

STAYS = (sys.executable, "-c", "import time; time.sleep(60)")
FAILS = (sys.executable, "-c", "raise SystemExit('There is no screen')")
NO_SCREEN: dict[str, str] = {}
WAIT_SECONDS = 10


class Windows:
    """The processes that a launcher has started, each of which attaches when it is let."""

    def __init__(self, path: Path, command: tuple[str, ...], *, attach_seconds: float) -> None:
        self.native = NativeChannel()
        self.launcher = WindowLauncher(
            self.native,
            {},
            path / "window.log",
            command,
            attach_seconds=attach_seconds,
            leave_seconds=0.2,
        )

    def running(self) -> list[psutil.Process]:
        found: list[psutil.Process] = []
        for each in psutil.Process().children():
            with suppress(psutil.Error):  # it may end meanwhile
                if STAYS[-1] in each.cmdline():  # a zombie has none
                    found.append(each)
        return found

    async def until(self, found: Callable[[], object]) -> None:
        with anyio.fail_after(WAIT_SECONDS):
            while True:
                if found():
                    return
                await anyio.sleep(0.01)

    async def wait_running(self, *, other_than: int = 0) -> psutil.Process:
        def others() -> list[psutil.Process]:
            return [each for each in self.running() if each.pid != other_than]

        await self.until(others)
        return others()[0]

    async def wait_awaited(self) -> None:
        """Wait until somebody waits for a window."""
        moved = self.native._moved  # pyright: ignore[reportPrivateUsage]
        await self.until(lambda: moved.statistics().tasks_waiting)


@asynccontextmanager
async def windows(
    path: Path, command: tuple[str, ...] = STAYS, *, attach_seconds: float = WAIT_SECONDS
) -> AsyncGenerator[Windows]:
    found = Windows(path, command, attach_seconds=attach_seconds)
    try:
        yield found
    finally:
        left = found.running()
        for each in left:
            each.kill()
        psutil.wait_procs(left, WAIT_SECONDS)


async def nothing(_request: NativeRequest) -> None:
    """Take what is sent, and answer nothing."""


async def test_a_window_that_ends_before_it_is_open_is_noticed_at_once(tmp_path: Path) -> None:
    async with windows(tmp_path, FAILS) as rig:
        with pytest.raises(LarariumError) as caught:
            await rig.launcher.show(NO_SCREEN)
    assert caught.value.code == "window_failed"
    assert "closed before it was open. It said: There is no screen" in caught.value.detail


async def test_a_window_that_never_comes_is_replaced_when_it_is_asked_for_again(
    tmp_path: Path,
) -> None:
    async with windows(tmp_path, attach_seconds=0.2) as rig:
        with pytest.raises(LarariumError) as caught:
            await rig.launcher.show(NO_SCREEN)
        assert "did not open in time" in caught.value.detail
        [first] = rig.running()
        async with anyio.create_task_group() as group:
            group.start_soon(_show_failing, rig)
            await rig.wait_running(other_than=first.pid)
            assert not first.is_running()
            group.cancel_scope.cancel()


async def test_a_window_that_is_asked_for_while_the_last_one_ends_is_a_new_one(
    tmp_path: Path,
) -> None:
    async with windows(tmp_path) as rig, anyio.create_task_group() as group:
        group.start_soon(rig.launcher.show, NO_SCREEN)
        closed = await rig.wait_running()
        await rig.wait_awaited()
        async with rig.native.attach(nothing):
            await anyio.wait_all_tasks_blocked()
        group.start_soon(rig.launcher.show, NO_SCREEN)
        await rig.wait_awaited()
        closed.kill()
        assert (await rig.wait_running(other_than=closed.pid)).pid != closed.pid
        group.cancel_scope.cancel()


async def test_a_window_that_comes_late_is_waited_for_and_no_second_one_starts(
    tmp_path: Path,
) -> None:
    async with windows(tmp_path) as rig, anyio.create_task_group() as group:
        with anyio.CancelScope() as first:
            group.start_soon(_cancel_when_running, rig, first)
            await rig.launcher.show(NO_SCREEN)
        [late] = rig.running()
        shown: list[int] = []
        group.start_soon(_show_into, rig, shown)
        await rig.wait_awaited()
        async with rig.native.attach(nothing):
            await rig.until(lambda: shown)
            assert ([each.pid for each in rig.running()], shown) == ([late.pid], [late.pid])


async def test_a_window_that_leaves_as_it_is_asked_for_is_followed_by_a_new_one(
    tmp_path: Path,
) -> None:
    async with windows(tmp_path) as rig, anyio.create_task_group() as group:
        left = anyio.Event()

        async def gone(_request: NativeRequest) -> None:
            left.set()
            raise no_window()

        async def leave_when_asked() -> None:
            async with rig.native.attach(gone):
                group.start_soon(rig.launcher.show, NO_SCREEN)
                await left.wait()

        with anyio.fail_after(WAIT_SECONDS):
            await leave_when_asked()
            await rig.wait_running()
        group.cancel_scope.cancel()


async def test_the_window_that_is_there_comes_to_the_front(tmp_path: Path) -> None:
    async with windows(tmp_path) as rig:

        async def answer(request: NativeRequest) -> None:
            rig.native.take(NativeReply(id=request.id, result="77"))

        async with rig.native.attach(answer):
            shown = await rig.launcher.show(NO_SCREEN)
    assert (shown.pid, shown.started) == (77, False)


async def _show_failing(rig: Windows) -> None:
    with pytest.raises(LarariumError):
        await rig.launcher.show(NO_SCREEN)


async def _show_into(rig: Windows, shown: list[int]) -> None:
    shown.append((await rig.launcher.show(NO_SCREEN)).pid)


async def _cancel_when_running(rig: Windows, scope: anyio.CancelScope) -> None:
    await rig.wait_awaited()
    scope.cancel()
