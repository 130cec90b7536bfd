"""Notifications over a real session bus, with a recorder in the desktop's place."""

import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from tests.fakes.notification_server import NotificationServer, Shown
from tests.fakes.session_bus import missing, session_bus

from lararium_desktop.system.notifications import native
from lararium_desktop.system.notifications.native import NativeToaster
from lararium_desktop.system.notifications.toast import Toast, ToastButton

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(missing() != "", reason=missing()),
]

WAIT_SECONDS = 10
ASKS = Toast(
    "atlas/ses_1",
    "atlas-api needs you",
    "“Limit by key” wants to run git.",
    (ToastButton("review", "Review…"), ToastButton("deny", "Deny")),
)


@pytest.fixture
def bus(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with TemporaryDirectory() as folder, session_bus(Path(folder)) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        yield address


@pytest.fixture
def server(bus: str) -> Iterator[NotificationServer]:
    with NotificationServer(bus) as server:
        yield server


@asynccontextmanager
async def toaster() -> AsyncGenerator[NativeToaster]:
    shows = NativeToaster()
    try:
        yield shows
    finally:
        await shows.close()


class Pressed:
    """What was pressed, awaited."""

    def __init__(self) -> None:
        self.actions: list[str] = []
        self._came = anyio.Event()

    def __call__(self, action: str) -> None:
        self.actions.append(action)
        self._came.set()

    async def next(self) -> str:
        with anyio.fail_after(WAIT_SECONDS):
            await self._came.wait()
        self._came = anyio.Event()
        return self.actions[-1]


async def off_loop(call: Callable[[], list[Shown]]) -> list[Shown]:
    return await anyio.to_thread.run_sync(call)


async def test_a_notification_says_its_texts_and_offers_its_buttons(
    server: NotificationServer,
) -> None:
    async with toaster() as shows:
        assert await shows.show(ASKS, Pressed())
        [shown] = server.calls
    assert (shown.app, shown.title, shown.body) == ("Lararium", ASKS.title, ASKS.body)
    assert shown.labels == ["Review…", "Deny"]
    assert next(iter(shown.actions)) == "default"


@pytest.mark.parametrize(("label", "action"), [("Review…", "review"), ("Deny", "deny")])
async def test_a_pressed_button_is_told_once(
    server: NotificationServer, label: str, action: str
) -> None:
    pressed = Pressed()
    async with toaster() as shows:
        await shows.show(ASKS, pressed)
        [shown] = server.calls
        server.press(shown, label)
        assert await pressed.next() == action
        server.press_key(shown.id, next(iter(shown.actions)))
        await shows.show(ASKS, pressed)
    assert pressed.actions == [action]


async def test_what_was_pressed_leaves_a_screen_that_would_keep_it(
    server: NotificationServer,
) -> None:
    pressed = Pressed()
    async with toaster() as shows:
        assert await shows.show(ASKS, pressed)
        [shown] = server.there
        server.press_key(shown.id, "default")
        await pressed.next()
        await anyio.to_thread.run_sync(server.wait_gone)


async def test_a_click_on_the_notification_is_told(server: NotificationServer) -> None:
    pressed = Pressed()
    async with toaster() as shows:
        await shows.show(ASKS, pressed)
        server.click(server.calls[0])
        assert await pressed.next() == "click"


async def test_a_dismissal_answers_nothing(server: NotificationServer) -> None:
    pressed = Pressed()
    async with toaster() as shows:
        await shows.show(ASKS, pressed)
        server.dismiss(server.calls[0])
        assert await shows.show(ASKS, pressed)
        assert len(server.there) == 1
    assert pressed.actions == []


async def test_the_next_one_of_a_session_takes_the_place_of_the_last(
    server: NotificationServer,
) -> None:
    first, second, other = Pressed(), Pressed(), Pressed()
    async with toaster() as shows:
        await shows.show(ASKS, first)
        await shows.show(Toast("orrery/ses_9", "orrery finished", "Done."), other)
        await shows.show(Toast(ASKS.key, "atlas-api finished", "Done."), second)
        assert [each.title for each in server.there] == ["atlas-api finished", "orrery finished"]
        replaced = server.calls[2]
        assert replaced.replaces == server.calls[0].id
        server.click(replaced)
        assert await second.next() == "click"
    assert (first.actions, other.actions) == ([], [])


async def test_a_button_of_what_was_replaced_does_nothing(server: NotificationServer) -> None:
    old, new = Pressed(), Pressed()
    async with toaster() as shows:
        await shows.show(ASKS, old)
        stale = next(key for key, label in server.calls[0].actions.items() if label == "Deny")
        await shows.show(Toast(ASKS.key, "atlas-api finished", "Done."), new)
        server.press_key(server.calls[1].id, stale)
        await shows.show(Toast("other", "Other", "Other"), new)
    assert old.actions == []
    assert "deny" not in new.actions


async def test_what_is_withdrawn_leaves_the_screen(server: NotificationServer) -> None:
    async with toaster() as shows:
        await shows.show(ASKS, Pressed())
        await shows.withdraw(ASKS.key)
        assert server.there == []
        await shows.withdraw(ASKS.key)
        await shows.withdraw("never shown")


async def test_the_end_takes_everything_back(server: NotificationServer) -> None:
    async with toaster() as shows:
        await shows.show(ASKS, Pressed())
        await shows.show(Toast("other", "Other", "Other"), Pressed())
        assert len(server.there) == 2
    await anyio.to_thread.run_sync(server.wait_gone)


@pytest.mark.parametrize(
    ("capabilities", "seen"),
    [
        (("body", "body-markup", "actions"), "-u &lt;b&gt;5 &lt; 6 &amp; 7&lt;/b&gt;"),
        (("body", "actions"), "-u <b>5 < 6 & 7</b>"),
    ],
)
async def test_texts_are_shown_as_they_are_whether_the_server_reads_markup_or_not(
    bus: str, capabilities: tuple[str, ...], seen: str
) -> None:
    with NotificationServer(bus, capabilities) as server:
        async with toaster() as shows:
            await shows.show(Toast("k", "--version <b>", "-u <b>5 < 6 & 7</b>"), Pressed())
        assert (server.calls[0].title, server.calls[0].body) == ("--version <b>", seen)


async def test_without_a_service_it_is_not_shown_and_the_system_is_left_alone_for_a_while(
    bus: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL, "desktop_notifier")
    async with toaster() as shows:
        assert not await shows.show(ASKS, Pressed())
        with NotificationServer(bus) as server:
            assert not await shows.show(ASKS, Pressed())
            assert server.calls == []


async def test_a_service_that_came_back_is_used_again(
    bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "REST_SECONDS", 0.0)
    async with toaster() as shows:
        with NotificationServer(bus):
            assert await shows.show(ASKS, Pressed())
        assert not await shows.show(ASKS, Pressed())
        with NotificationServer(bus) as server:
            assert await shows.show(ASKS, Pressed())
            assert len(server.calls) == 1


async def test_without_a_bus_it_is_not_shown() -> None:
    async with toaster() as shows:
        assert not await shows.show(ASKS, Pressed())


async def test_a_slow_service_costs_a_bounded_time_and_nobody_else_waits(
    bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "SHOW_SECONDS", 0.3)
    with NotificationServer(bus, hangs=True):
        async with toaster() as shows:
            ticks = 0
            with anyio.fail_after(WAIT_SECONDS):
                async with anyio.create_task_group() as tasks:

                    async def show() -> None:
                        assert not await shows.show(ASKS, Pressed())
                        tasks.cancel_scope.cancel()

                    tasks.start_soon(show)
                    while True:
                        await anyio.sleep(0.01)
                        ticks += 1
            assert ticks > 3


async def test_a_backend_that_raises_ends_neither_its_thread_nor_the_next_notification(
    server: NotificationServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "REST_SECONDS", 0.0)
    async with toaster() as shows:
        assert not await shows.show(Toast("k", "half a pair \ud83d", "x"), Pressed())
        assert not await shows.show(Toast("k", "a zero \x00", "x"), Pressed())
        assert await shows.show(ASKS, Pressed())
        assert [each.title for each in server.calls] == [ASKS.title]


async def test_a_library_that_blocks_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    monkeypatch.setattr(native, "SHOW_SECONDS", 0.2)
    monkeypatch.setattr(native, "CLOSE_SECONDS", 0.2)

    class Blocking(NativeToaster):
        async def _open(self) -> None:
            release.wait(WAIT_SECONDS)  # as a library does that knows no loop

    shows = Blocking()
    began = time.monotonic()
    assert not await shows.show(ASKS, Pressed())
    await shows.close()
    release.set()
    assert time.monotonic() - began < WAIT_SECONDS
