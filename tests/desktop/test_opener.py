"""What is asked for from outside the page counts as coming to the front from that moment on."""

from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import WindowShown
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.front import COMING_SECONDS, Front
from lararium_desktop.hub.opener import Opener
from lararium_desktop.hub.shown import Shown

pytestmark = pytest.mark.anyio

ATLAS, ONE, TWO = WorkspaceId("a" * 16), SessionId("ses_1"), SessionId("ses_2")


class Desktop:
    """Where the window opens when it is let."""

    def __init__(self, path: Path) -> None:
        self.now = 0.0
        self.front = Front(lambda: self.now)
        self.shown = Shown(path / "shown.json")
        self.feed = ShellFeed()
        self.asked = anyio.Event()
        self.let = anyio.Event()
        self.fails = False
        self.displays: list[Mapping[str, str]] = []
        self.opener = Opener(self.shown, self.front, self.feed, self._show)

    async def _show(self, display: Mapping[str, str]) -> WindowShown:
        self.displays.append(display)
        self.asked.set()
        await self.let.wait()
        if self.fails:
            raise LarariumError("window_failed", "There is no screen.", 502)
        return WindowShown(pid=1, started=True)


async def test_a_session_is_awaited_while_its_window_opens_and_a_while_after(
    tmp_path: Path,
) -> None:
    desktop = Desktop(tmp_path)
    async with anyio.create_task_group() as group:
        group.start_soon(desktop.opener.open, ATLAS, ONE, {"DISPLAY": ":7"})
        with anyio.fail_after(5):
            await desktop.asked.wait()
        assert desktop.front.awaits_session(ATLAS, ONE, since=0)
        assert (desktop.shown.workspace, desktop.shown.session) == (ATLAS, ONE)
        assert desktop.feed.version == 1
        desktop.now = COMING_SECONDS - 1  # the window took its time
        desktop.let.set()
    desktop.now += COMING_SECONDS - 1
    assert desktop.front.awaits_session(ATLAS, ONE, since=0)
    assert desktop.displays == [{"DISPLAY": ":7"}]


async def test_a_window_that_comes_back_brings_what_was_shown_last(tmp_path: Path) -> None:
    desktop = Desktop(tmp_path)
    desktop.shown.note(ATLAS)
    desktop.shown.note_session(ATLAS, TWO)
    desktop.let.set()
    await desktop.opener.open()
    assert desktop.front.awaits_session(ATLAS, TWO, since=0)
    assert (desktop.shown.count, desktop.feed.version) == (0, 0)


async def test_nothing_is_awaited_of_a_window_that_does_not_open(tmp_path: Path) -> None:
    desktop = Desktop(tmp_path)
    desktop.fails = True
    desktop.let.set()
    with pytest.raises(LarariumError):
        await desktop.opener.open(ATLAS, ONE)
    assert not desktop.front.awaits_window()
