"""The pool starts, adopts and mourns daemons, and says in which state each project is."""

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from tests.fakes.daemons import FakeDaemon, FakeDaemons

from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.problems import LarariumError
from lararium_desktop.hub.pool import Pool
from lararium_desktop.hub.registry import Registry

pytestmark = pytest.mark.anyio
HUB = "http://127.0.0.1:4000"


@dataclass
class Rig:
    pool: Pool
    registry: Registry
    daemons: FakeDaemons
    changes: list[list[str]]
    folder: Path

    def add(self, name: str) -> WorkspaceId:
        folder = self.folder / name
        folder.mkdir()
        return self.registry.add(str(folder)).id

    def only(self) -> Workspace:
        [workspace] = self.pool.workspaces()
        return workspace


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    registry = Registry(tmp_path / "config" / "workspaces.json")
    daemons = FakeDaemons()
    changes: list[list[str]] = []
    pool = Pool(
        registry,
        daemons,
        hub_origin=lambda: HUB,
        changed=lambda: changes.append([item.state for item in pool.workspaces()]),
    )
    return Rig(pool, registry, daemons, changes, tmp_path)


async def test_opening_starts_the_daemon_lets_the_hub_frame_it_and_gives_a_ticket(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.refresh()
    opened = await rig.pool.open(atlas)
    assert opened.page_url == "http://127.0.0.1:5001/#t=ticket-1"
    assert opened.state == "ready"
    assert rig.daemons.running[atlas].hub_origin == HUB
    assert rig.changes[-2:] == [["starting"], ["ready"]]
    assert rig.only().base_url == "http://127.0.0.1:5001"


async def test_a_ready_daemon_is_used_again_and_gives_a_fresh_ticket(rig: Rig):
    atlas = rig.add("atlas")
    first = await rig.pool.open(atlas)
    second = await rig.pool.open(atlas)
    assert rig.daemons.starts == 1
    assert first.page_url != second.page_url


async def test_concurrent_opens_share_one_start(rig: Rig):
    atlas = rig.add("atlas")
    async with anyio.create_task_group() as group:
        for _ in range(5):
            group.start_soon(rig.pool.open, atlas)
    assert rig.daemons.starts == 1


@pytest.mark.parametrize("whole", [False, True])
async def test_what_is_stopped_while_it_starts_leaves_no_daemon(rig: Rig, whole: bool):
    atlas = rig.add("atlas")
    await rig.pool.refresh()
    rig.daemons.may_start = threading.Event()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(rig.pool.open, atlas)
            await anyio.to_thread.run_sync(rig.daemons.starting.wait)
            if whole:
                group.start_soon(rig.pool.stop_all)
            else:
                group.start_soon(rig.pool.stop, atlas)
            await anyio.wait_all_tasks_blocked()
            rig.daemons.may_start.set()
    assert rig.daemons.running == {}
    assert rig.only().state == "stopped"


async def test_a_daemon_that_somebody_else_started_is_adopted(rig: Rig):
    atlas = rig.add("atlas")
    rig.daemons.running[atlas] = FakeDaemon(77, "http://127.0.0.1:6000")
    await rig.pool.refresh()
    assert (rig.only().state, rig.only().pid) == ("ready", 77)
    assert rig.pool.origins() == {"http://127.0.0.1:6000"}


async def test_who_looks_while_a_daemon_is_just_asked_waits_for_its_answer(rig: Rig):
    atlas = rig.add("atlas")
    rig.daemons.running[atlas] = FakeDaemon(77, "http://127.0.0.1:6000")
    rig.daemons.may_find = threading.Event()
    seen: list[str] = []

    async def look() -> None:
        await rig.pool.refresh()
        seen.append(rig.only().state)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            group.start_soon(look)
            await anyio.to_thread.run_sync(rig.daemons.finding.wait)
            group.start_soon(look)
            await anyio.wait_all_tasks_blocked()
            assert seen == []
            rig.daemons.may_find.set()
    assert seen == ["ready", "ready"]


async def test_a_daemon_that_died_is_shown_as_crashed_with_its_last_words(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    rig.daemons.end(atlas, crashed=True)
    await rig.pool.refresh()
    crashed = rig.only()
    assert (crashed.state, crashed.pid, crashed.base_url) == ("crashed", None, None)
    assert "Its sessions are on disk" in crashed.problem
    assert crashed.log_tail == [f"last words of {atlas}"]
    assert rig.pool.origins() == frozenset()
    assert (await rig.pool.open(atlas)).state == "ready"
    assert rig.only().problem == ""


async def test_a_daemon_that_stopped_by_itself_is_asleep_and_wakes_on_opening(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    rig.daemons.end(atlas, crashed=False)
    await rig.pool.refresh()
    assert rig.only().state == "asleep"
    assert (await rig.pool.open(atlas)).state == "ready"


async def test_stopping_a_daemon_is_not_a_crash(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    await rig.pool.stop(atlas)
    await rig.pool.refresh()
    assert rig.only().state == "stopped"


async def test_restart_gives_another_daemon(rig: Rig):
    atlas = rig.add("atlas")
    before = await rig.pool.open(atlas)
    after = await rig.pool.restart(atlas)
    assert before.base_url != after.base_url
    assert rig.only().state == "ready"


async def test_a_start_that_fails_says_why_in_the_answer_and_in_the_rail(rig: Rig):
    atlas = rig.add("atlas")
    rig.daemons.fails = "The port range is exhausted."
    with pytest.raises(LarariumError, match="port range"):
        await rig.pool.open(atlas)
    await rig.pool.refresh()
    assert (rig.only().state, rig.only().problem) == ("crashed", "The port range is exhausted.")


async def test_a_daemon_that_refuses_the_hub_is_no_success(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    rig.daemons.running[atlas].refuses = "It does not answer."
    with pytest.raises(LarariumError, match="does not answer"):
        await rig.pool.open(atlas)
    assert rig.only().problem == "It does not answer."


async def test_a_folder_that_vanished_is_missing_until_it_is_back(rig: Rig):
    atlas = rig.add("atlas")
    shutil.rmtree(rig.folder / "atlas")
    await rig.pool.refresh()
    assert rig.only().state == "missing"
    assert "moved or deleted" in rig.only().problem
    with pytest.raises(LarariumError) as caught:
        await rig.pool.open(atlas)
    assert caught.value.code == "folder_missing"
    assert rig.daemons.starts == 0
    (rig.folder / "atlas").mkdir()
    await rig.pool.refresh()
    assert rig.only().state == "stopped"


async def test_an_unknown_project_cannot_be_opened_or_stopped(rig: Rig):
    for attempt in (rig.pool.open, rig.pool.stop):
        with pytest.raises(LarariumError, match="No project"):
            await attempt(WorkspaceId("0" * 16))


async def test_a_removed_project_leaves_the_list_and_its_frames(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    rig.registry.remove(atlas)
    await rig.pool.refresh()
    assert rig.pool.workspaces() == []
    assert rig.pool.origins() == frozenset()


async def test_a_sweep_that_finds_nothing_new_announces_nothing(rig: Rig):
    rig.add("atlas")
    await rig.pool.refresh()
    before = len(rig.changes)
    await rig.pool.refresh()
    assert len(rig.changes) == before


async def test_stopping_all_stops_every_daemon_side_by_side(rig: Rig):
    for name in ("one", "two"):
        await rig.pool.open(rig.add(name))
    assert await rig.pool.stop_all() == []
    assert rig.daemons.running == {}


async def until(is_so: Callable[[], bool]) -> None:
    for _ in range(1_000):
        if is_so():
            return
        await anyio.sleep(0.01)
    raise AssertionError("it did not come to that")


async def test_a_daemon_that_crashes_is_started_again_while_the_hub_runs(rig: Rig):
    atlas = rig.add("atlas")
    before = await rig.pool.open(atlas)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.pool.run)
        rig.daemons.end(atlas, crashed=True)
        await until(lambda: rig.only().base_url not in {None, before.base_url})
        assert rig.only().state == "ready"
        assert rig.daemons.starts == 2
        tasks.cancel_scope.cancel()


async def test_a_restart_that_fails_is_a_crash_with_its_reason(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.pool.run)
        rig.daemons.fails = "The journal is of a newer version."
        rig.daemons.end(atlas, crashed=True)
        await until(lambda: rig.only().state == "crashed")
        assert rig.only().problem == "The journal is of a newer version."
        tasks.cancel_scope.cancel()


async def test_an_idle_outdated_daemon_is_replaced_when_its_project_is_opened(rig: Rig):
    atlas = rig.add("atlas")
    rig.daemons.running[atlas] = FakeDaemon(77, "http://127.0.0.1:6000", outdated="0.0.1")
    opened = await rig.pool.open(atlas)
    assert opened.base_url != "http://127.0.0.1:6000"
    assert (rig.only().state, rig.only().outdated) == ("ready", "")


async def test_an_outdated_daemon_with_runs_ends_after_them_and_another_follows(rig: Rig):
    atlas = rig.add("atlas")
    old = FakeDaemon(77, "http://127.0.0.1:6000", outdated="0.0.1", runs=1)
    rig.daemons.running[atlas] = old
    opened = await rig.pool.open(atlas)
    assert opened.base_url == old.base_url
    assert rig.only().outdated == "0.0.1"
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.pool.run)
        rig.daemons.end(atlas, crashed=False)
        await until(lambda: rig.only().base_url not in {None, old.base_url})
        assert rig.only().outdated == ""
        tasks.cancel_scope.cancel()


async def test_a_daemon_without_a_sign_of_life_does_not_answer_until_it_gives_one(rig: Rig):
    atlas = rig.add("atlas")
    await rig.pool.open(atlas)
    rig.daemons.running[atlas].silent = True
    await rig.pool.refresh()
    assert (rig.only().state, rig.only().pid) == ("unresponsive", 5001)
    assert "restart it" in rig.only().problem
    rig.daemons.running[atlas].silent = False
    await rig.pool.refresh()
    assert (rig.only().state, rig.only().problem) == ("ready", "")


async def test_a_safe_start_replaces_the_daemon_and_says_that_it_is_safe(rig: Rig):
    atlas = rig.add("atlas")
    before = await rig.pool.open(atlas)
    after = await rig.pool.safe_start(atlas)
    assert before.base_url != after.base_url
    assert rig.only().safe
    await rig.pool.restart(atlas)
    assert not rig.only().safe
