"""The native channel carries one request to the one window, and never waits without end."""

import anyio
import pytest

from lararium_daemon.protocol.hub import NativeReply, NativeRequest
from lararium_daemon.protocol.problems import LarariumError
from lararium_desktop.hub.native import NativeChannel

pytestmark = pytest.mark.anyio


class Window:
    """A window that records what it is asked."""

    def __init__(self) -> None:
        self.asked: list[NativeRequest] = []
        self.arrived = anyio.Event()

    async def take(self, request: NativeRequest) -> None:
        self.asked.append(request)
        self.arrived.set()


async def test_without_a_window_a_request_says_so_at_once():
    with pytest.raises(LarariumError) as caught:
        await NativeChannel().pick_folder("Open")
    assert (caught.value.code, caught.value.status) == ("no_window", 501)


async def test_the_windows_answer_reaches_the_one_who_asked():
    channel, window = NativeChannel(), Window()
    picked: list[str | None] = []

    async def ask() -> None:
        picked.append(await channel.pick_folder("Open a folder"))

    async with channel.attach(window.take), anyio.create_task_group() as group:
        group.start_soon(ask)
        with anyio.fail_after(5):
            await window.arrived.wait()
        request = window.asked[0]
        assert (request.method, request.params) == ("pick_folder", {"title": "Open a folder"})
        channel.take(NativeReply(id=request.id, result="/code/atlas"))
    assert picked == ["/code/atlas"]


async def test_a_window_that_leaves_ends_the_wait_as_no_window():
    channel, window = NativeChannel(), Window()
    codes: list[str] = []

    async def ask() -> None:
        try:
            await channel.pick_folder("Open")
        except LarariumError as error:
            codes.append(error.code)

    async with anyio.create_task_group() as group, channel.attach(window.take):
        group.start_soon(ask)
        with anyio.fail_after(5):
            await window.arrived.wait()
    assert codes == ["no_window"]
    assert not channel.is_attached


async def test_a_window_that_does_not_answer_is_not_waited_for_for_ever():
    channel, window = NativeChannel(), Window()
    async with channel.attach(window.take):
        with pytest.raises(LarariumError) as caught:
            await channel.request("show", seconds=0.01)
    assert caught.value.code == "native_timeout"


async def test_a_late_answer_is_dropped():
    channel, window = NativeChannel(), Window()
    async with channel.attach(window.take):
        with pytest.raises(LarariumError):
            await channel.request("show", seconds=0.01)
        channel.take(NativeReply(id=window.asked[0].id, result="late"))


async def test_the_windows_own_failure_keeps_its_words():
    channel = NativeChannel()

    async def refuse(request: NativeRequest) -> None:
        channel.take(NativeReply(id=request.id, error="No application opens mailto."))

    async with channel.attach(refuse):
        with pytest.raises(LarariumError) as caught:
            await channel.request("open_external", {"url": "mailto:a@b.c"})
    assert (caught.value.code, caught.value.detail) == (
        "native_failed",
        "No application opens mailto.",
    )


async def test_a_second_window_is_turned_away_and_the_first_stays():
    channel, window = NativeChannel(), Window()
    async with channel.attach(window.take):
        with pytest.raises(LarariumError) as caught:
            async with channel.attach(Window().take):
                pytest.fail("the second window attached")
        assert channel.is_attached
    assert caught.value.code == "window_attached"


async def test_only_one_folder_dialog_is_open_at_a_time():
    channel, window = NativeChannel(), Window()
    async with channel.attach(window.take), anyio.create_task_group() as group:
        group.start_soon(channel.pick_folder, "Open")
        with anyio.fail_after(5):
            await window.arrived.wait()
        with pytest.raises(LarariumError) as caught:
            await channel.pick_folder("Open")
        assert caught.value.code == "dialog_open"
        channel.take(NativeReply(id=window.asked[0].id))


async def test_coming_and_going_of_the_window_is_announced_and_can_be_waited_for():
    changes: list[bool] = []
    channel = NativeChannel(changed=lambda: changes.append(channel.is_attached))
    assert not await channel.wait_attached(0.01)
    async with channel.attach(Window().take):
        assert await channel.wait_attached(0)
        assert not await channel.wait_detached(0.01)
    assert await channel.wait_detached(0)
    assert changes == [True, False]
