"""The hub keeps its tray: fed, listened to, started again, and done without where there is none."""

import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from tests.fakes import small_tray
from tests.fakes.tray_desk import ATLAS, FakeDesk, ask, workspace

from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.tray import Tray
from lararium_desktop.hub.tray_state import TrayState
from lararium_desktop.system.restarts import Restarts
from lararium_desktop.system.tray_messages import decode_model

pytestmark = pytest.mark.anyio

SCREEN = {"DISPLAY": ":99"}
READY = {"type": "ready", "host": "status-notifier"}
NO_HOST = {"type": "no_host", "reason": "This desktop has none.", "is_final": False}
FINAL = {**NO_HOST, "is_final": True}


@dataclass
class Rig:
    tray: Tray
    desk: FakeDesk
    feed: ShellFeed
    state: TrayState
    models: Path
    """One line a model that a child took."""

    def change(self, name: str) -> None:
        """Let the tray show another project."""
        self.desk.given_workspaces = [workspace(name=name)]
        self.feed.announce()

    def names(self) -> list[str]:
        """Give the project's name in each model that was taken."""
        if not self.models.exists():
            return []
        lines = self.models.read_bytes().splitlines()
        return [decode_model(line).workspaces[0].name for line in lines]

    async def until(self, holds: Any) -> None:
        with anyio.fail_after(10):
            while not holds():  # noqa: ASYNC110  what a child process does sets no event
                await anyio.sleep(0.01)


@asynccontextmanager
async def keeping(
    tmp_path: Path,
    *steps: object,
    screen: dict[str, str] | None = None,
    at_once: bool = True,
    restarts: Restarts | None = None,
) -> AsyncGenerator[Rig]:
    models = tmp_path / "models.jsonl"
    words = [step if isinstance(step, str) else json.dumps(step) for step in steps]
    feed, desk = ShellFeed(), FakeDesk()
    state = TrayState(tmp_path / "said", changed=feed.announce)
    tray = Tray(
        desk,
        feed,
        state,
        [sys.executable, str(small_tray.__file__), str(models), *words],
        {
            **os.environ,
            "DISPLAY": "",
            "WAYLAND_DISPLAY": "",
            **(SCREEN if screen is None else screen),
        },
        tmp_path / "tray.out",
        restarts=restarts,
        patience_seconds=0.0,
    )
    async with anyio.create_task_group() as group:
        group.start_soon(partial(tray.run, at_once=at_once))
        yield Rig(tray, desk, feed, state, models)
        group.cancel_scope.cancel()


def children() -> list[psutil.Process]:
    return [each for each in psutil.Process().children() if each.status() != "zombie"]


async def test_it_is_fed_with_each_change_and_told_apart_when_it_is_seen(tmp_path: Path):
    async with keeping(tmp_path, [READY]) as rig:
        await rig.until(lambda: rig.state.status == "ready")
        rig.change("orrery")
        await rig.until(lambda: rig.names() == ["atlas", "orrery"])
        assert rig.state.notices == []


async def test_changes_that_come_together_are_one_and_no_change_is_none(tmp_path: Path):
    async with keeping(tmp_path, [READY]) as rig:
        await rig.until(lambda: rig.state.status == "ready")
        for name in ("one", "two", "three"):
            rig.change(name)
        rig.feed.announce()
        await rig.until(lambda: len(rig.names()) == 2)
        rig.feed.announce()
        rig.change("last")
        await rig.until(lambda: rig.names()[-1] == "last")
        assert rig.names() == ["atlas", "three", "last"]


async def test_a_click_is_performed(tmp_path: Path):
    click = {"type": "click", "action": f"deny:{ATLAS}.r1"}
    async with keeping(tmp_path, [READY, click]) as rig:
        rig.desk.given_items = [ask()]
        await rig.until(lambda: rig.desk.done)
        assert rig.desk.done == [("answer", f"{ATLAS}.r1", False)]


async def test_what_it_should_not_say_is_passed_over(tmp_path: Path):
    strange = [{"type": "reboot"}, {"type": "click", "action": "format:c"}, READY]
    async with keeping(tmp_path, strange) as rig:
        await rig.until(lambda: rig.state.status == "ready")
        assert rig.desk.done == []


async def test_a_killed_tray_comes_back_and_shows_what_is_now(tmp_path: Path):
    async with keeping(tmp_path, [READY]) as rig:
        await rig.until(lambda: rig.state.status == "ready")
        [child] = children()
        rig.desk.given_workspaces = [workspace(name="later")]
        child.send_signal(signal.SIGKILL)
        await rig.until(lambda: rig.names() == ["atlas", "later"])
        await rig.until(lambda: rig.state.status == "ready")


async def test_one_that_keeps_ending_is_started_again_only_so_often(tmp_path: Path):
    async with keeping(tmp_path, "exit", restarts=Restarts(limit=2, within_seconds=600)) as rig:
        await rig.until(lambda: len(rig.names()) == 3)
        await rig.until(lambda: not children())
        assert rig.state.status == "off"


async def test_without_a_tray_it_is_said_once_in_log_and_page(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    async with keeping(tmp_path, [NO_HOST]) as rig:
        await rig.until(lambda: rig.state.notices)
        assert rig.state.status == "no_host"
        assert rig.state.notices == [
            "This desktop has none. Lararium goes on without a tray icon; the command lararium "
            "brings its window back."
        ]
    assert "No tray: This desktop has none." in caplog.text
    async with keeping(tmp_path, [NO_HOST]) as again:
        await again.until(lambda: again.state.status == "no_host")
        await anyio.wait_all_tasks_blocked()
        assert again.state.notices == []


async def test_a_tray_that_comes_later_takes_the_notice_back(tmp_path: Path):
    async with keeping(tmp_path, [NO_HOST], [READY]) as rig:
        await rig.until(lambda: rig.state.notices)
        rig.change("orrery")
        await rig.until(lambda: rig.state.status == "ready")
        assert rig.state.notices == []


async def test_a_system_that_can_show_none_is_not_asked_again_until_the_screen_is_another(
    tmp_path: Path,
):
    async with keeping(tmp_path, [FINAL, "exit"]) as rig:
        await rig.until(lambda: rig.state.notices and not children())
        assert rig.state.status == "no_host"
        rig.state.use_display({"DISPLAY": ":7"})
        await rig.until(lambda: len(rig.names()) == 2)


async def test_without_a_screen_no_tray_is_started_until_there_is_one(tmp_path: Path):
    async with keeping(tmp_path, [READY], screen={}) as rig:
        await anyio.wait_all_tasks_blocked()
        assert children() == []
        rig.state.use_display(SCREEN)
        await rig.until(lambda: rig.state.status == "ready")


async def test_a_hub_without_window_gets_its_tray_with_the_first_window(tmp_path: Path):
    async with keeping(tmp_path, [READY], at_once=False) as rig:
        await anyio.wait_all_tasks_blocked()
        assert children() == []
        rig.state.use_display({})
        await rig.until(lambda: rig.state.status == "ready")


async def test_the_tray_ends_with_the_hub(tmp_path: Path):
    async with keeping(tmp_path, [READY]) as rig:
        await rig.until(lambda: rig.state.status == "ready")
        [child] = children()
    assert not child.is_running() or child.status() == "zombie"


async def test_a_tray_that_hangs_does_not_keep_the_hub(tmp_path: Path):
    async with keeping(tmp_path, "hang") as rig:
        await rig.until(lambda: rig.names() == ["atlas"])
        [child] = children()
    assert not child.is_running()
