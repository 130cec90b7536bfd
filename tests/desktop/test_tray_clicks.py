"""A click in the tray does what it says, once, and nothing when what it names is gone."""

import anyio
import pytest
from tests.fakes.tray_desk import ATLAS, ORRERY, FakeDesk, ask

from lararium_desktop.hub.tray_clicks import TrayClicks
from lararium_desktop.system.tray_messages import TrayAction, Verb

pytestmark = pytest.mark.anyio


async def click(desk: FakeDesk, verb: Verb, target: str = "") -> list[tuple[object, ...]]:
    await TrayClicks(desk).perform(TrayAction(verb, target))
    return desk.done


@pytest.mark.parametrize(
    ("verb", "target", "done"),
    [
        ("show", "", ("show", None, None)),
        ("open_workspace", ATLAS, ("show", ATLAS, None)),
        ("open_item", f"{ATLAS}.r1", ("show", ATLAS, "s1")),
        ("deny", f"{ATLAS}.r1", ("answer", f"{ATLAS}.r1", False)),
        ("quit", "", ("quit", False)),
        ("quit_and_stop", "", ("quit", True)),
    ],
)
async def test_a_click_does_what_its_entry_says(verb: Verb, target: str, done: tuple[object, ...]):
    assert await click(FakeDesk(given_items=[ask()]), verb, target) == [done]


async def test_a_new_session_is_begun_and_shown():
    done = await click(FakeDesk(), "new_session", ATLAS)
    assert done == [("new_session", ATLAS), ("show", ATLAS, "fresh")]


async def test_when_no_session_can_be_begun_the_project_is_shown_where_the_reason_stands():
    done = await click(FakeDesk(refuses="It did not start."), "new_session", ATLAS)
    assert done == [("show", ATLAS, None)]


async def test_what_is_confined_is_allowed_once():
    done = await click(FakeDesk(given_items=[ask(allow_once=True)]), "allow_once", f"{ATLAS}.r1")
    assert done == [("answer", f"{ATLAS}.r1", True)]


async def test_an_old_menu_cannot_allow_what_must_be_seen_first():
    assert await click(FakeDesk(given_items=[ask()]), "allow_once", f"{ATLAS}.r1") == []


@pytest.mark.parametrize(
    ("verb", "target"),
    [
        ("deny", f"{ATLAS}.gone"),
        ("allow_once", f"{ATLAS}.gone"),
        ("open_item", f"{ATLAS}.gone"),
        ("open_workspace", ORRERY),
        ("new_session", ORRERY),
    ],
)
async def test_a_click_on_what_is_gone_does_nothing(verb: Verb, target: str):
    assert await click(FakeDesk(given_items=[ask()]), verb, target) == []


async def test_what_ended_is_not_answered():
    ended = ask().model_copy(update={"waiting": False, "kind": "failed"})
    assert await click(FakeDesk(given_items=[ended]), "deny", ended.id) == []


async def test_two_quick_clicks_are_one_answer():
    desk = FakeDesk(given_items=[ask()], gate=anyio.Event())
    assert desk.gate is not None
    clicks = TrayClicks(desk)
    action = TrayAction("deny", f"{ATLAS}.r1")
    async with anyio.create_task_group() as group:
        group.start_soon(clicks.perform, action)
        group.start_soon(clicks.perform, action)
        await anyio.wait_all_tasks_blocked()
        desk.gate.set()
    assert desk.done == [("answer", f"{ATLAS}.r1", False)]


async def test_an_answer_that_is_not_taken_opens_the_session_instead():
    desk = FakeDesk(given_items=[ask()], refuses="The daemon does not answer.")
    done = await click(desk, "deny", f"{ATLAS}.r1")
    assert done == [("answer", f"{ATLAS}.r1", False), ("show", ATLAS, "s1")]


async def test_a_quit_that_cannot_stop_everything_is_not_raised_into_the_tray():
    assert await click(FakeDesk(refuses="atlas does not stop."), "quit_and_stop") == []
