"""Closing the window without a tray never hides the only way back: the hub ends or has a reason."""

from dataclasses import dataclass, field, replace

import anyio
import pytest
from anyio.abc import TaskGroup

from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.lingering import Presence, end_when_forgotten

pytestmark = pytest.mark.anyio

WINDOW = Presence(has_tray=False, has_window=True, pages=1, runs=0, items=0)
NOTHING = Presence(has_tray=False, has_window=False, pages=0, runs=0, items=0)


@dataclass
class Hub:
    presence: Presence = NOTHING
    feed: ShellFeed = field(default_factory=ShellFeed)
    ended: anyio.Event = field(default_factory=anyio.Event)

    def start(self, group: TaskGroup, grace_seconds: float = 0.0) -> None:
        async def run() -> None:
            await end_when_forgotten(
                lambda: self.presence, self.feed, self.ended.set, grace_seconds=grace_seconds
            )

        group.start_soon(run)

    async def becomes(self, presence: Presence) -> None:
        self.presence = presence
        self.feed.announce()
        await anyio.wait_all_tasks_blocked()


@pytest.mark.parametrize(
    "reason", [{"has_tray": True}, {"pages": 1}, {"runs": 1}, {"items": 1}, {"has_window": True}]
)
async def test_a_hub_that_is_seen_or_has_something_to_do_stays(reason: dict[str, int]):
    hub = Hub()
    async with anyio.create_task_group() as group:
        hub.start(group)
        await hub.becomes(WINDOW)
        await hub.becomes(replace(NOTHING, **reason))
        assert not hub.ended.is_set()
        group.cancel_scope.cancel()


async def test_without_tray_and_work_the_hub_ends_after_its_window(
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level("INFO")
    hub = Hub()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            hub.start(group)
            await hub.becomes(WINDOW)
            hub.presence = NOTHING
            hub.feed.announce()
            await hub.ended.wait()
    assert "No window, no tray" in caplog.text


async def test_a_run_that_goes_on_unseen_is_said_and_the_hub_ends_after_it(
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level("INFO")
    hub = Hub()
    with anyio.fail_after(5):
        async with anyio.create_task_group() as group:
            hub.start(group)
            await hub.becomes(WINDOW)
            await hub.becomes(replace(NOTHING, runs=2))
            assert "2 runs and 0 items keep the hub" in caplog.text
            assert not hub.ended.is_set()
            hub.presence = NOTHING
            hub.feed.announce()
            await hub.ended.wait()


async def test_a_hub_that_never_had_a_window_is_left_alone():
    hub = Hub()
    async with anyio.create_task_group() as group:
        hub.start(group)
        await hub.becomes(replace(NOTHING, runs=1))
        await hub.becomes(NOTHING)
        assert not hub.ended.is_set()
        group.cancel_scope.cancel()


async def test_a_window_that_comes_back_in_time_keeps_the_hub():
    hub = Hub()
    async with anyio.create_task_group() as group:
        hub.start(group, grace_seconds=30)
        await hub.becomes(WINDOW)
        await hub.becomes(NOTHING)
        await hub.becomes(WINDOW)
        assert not hub.ended.is_set()
        group.cancel_scope.cancel()
