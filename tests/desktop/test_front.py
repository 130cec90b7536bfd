"""What the person looks at: said by pages, believed for a while."""

from dataclasses import dataclass

import pytest

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import ShownInput
from lararium_desktop.hub.front import (
    COMING_SECONDS,
    MAX_PAGES,
    UNNAMED_SECONDS,
    VALID_SECONDS,
    Front,
)

ATLAS, ONE, TWO = WorkspaceId("atlas"), SessionId("ses_1"), SessionId("ses_2")


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def front(clock: Clock) -> Front:
    return Front(clock)


def says(session: SessionId | None, *, visible: bool = True, page: str = "") -> ShownInput:
    return ShownInput(workspace_id=ATLAS, session_id=session, visible=visible, page=page)


def test_nothing_is_in_front_before_a_page_says_so(front: Front) -> None:
    assert not front.has_window()
    assert not front.has_session(ATLAS, ONE)


def test_a_visible_page_has_its_session_in_front_and_no_other(front: Front) -> None:
    front.say(says(ONE))
    assert front.has_window()
    assert front.has_session(ATLAS, ONE)
    assert not front.has_session(ATLAS, TWO)
    assert not front.has_session(WorkspaceId("orrery"), ONE)
    front.say(says(None))
    assert front.has_window()
    assert not front.has_session(ATLAS, ONE)


def test_a_hidden_page_has_nothing_in_front(front: Front) -> None:
    front.say(says(ONE))
    front.say(says(ONE, visible=False))
    assert not front.has_window()


def test_pages_speak_each_for_itself(front: Front) -> None:
    front.say(says(ONE, page="window"))
    front.say(says(TWO, page="browser"))
    front.say(says(TWO, visible=False, page="browser"))
    assert front.has_session(ATLAS, ONE)
    assert not front.has_session(ATLAS, TWO)


def test_a_page_that_says_no_more_counts_for_nothing(front: Front, clock: Clock) -> None:
    front.say(says(ONE))
    clock.now += VALID_SECONDS
    assert front.has_session(ATLAS, ONE)
    clock.now += 0.1
    assert not front.has_window()
    front.say(says(ONE))
    assert front.has_window()


def test_the_pages_are_bounded(front: Front) -> None:
    for number in range(MAX_PAGES + 5):
        front.say(says(ONE, page=str(number)))
    assert len(front._pages) == MAX_PAGES  # pyright: ignore[reportPrivateUsage]


def test_a_page_that_leaves_takes_only_its_own_word_with_it(front: Front) -> None:
    front.say(says(ONE, page="a"))
    front.say(says(TWO, page="b"))
    front.leave("a")
    front.leave("")
    assert not front.has_session(ATLAS, ONE)
    assert front.has_session(ATLAS, TWO)


def test_what_is_brought_to_the_front_is_awaited_until_a_page_shows_it(front: Front) -> None:
    front.say(says(TWO))
    front.bring(ATLAS, ONE, last=TWO)
    assert front.awaits_session(ATLAS, ONE, since=0)
    assert not front.awaits_session(ATLAS, TWO, since=0)
    assert not front.has_session(ATLAS, ONE)
    front.say(says(TWO))  # the page has not followed yet
    assert front.awaits_session(ATLAS, ONE, since=0)
    front.say(says(ONE))
    assert front.has_session(ATLAS, ONE)
    front.say(says(TWO))
    assert not front.awaits_session(ATLAS, ONE, since=0)


def test_what_never_comes_is_awaited_for_a_bounded_time(front: Front, clock: Clock) -> None:
    front.bring(ATLAS, ONE, last=None)
    assert front.awaits_window()
    clock.now += COMING_SECONDS - 0.1
    assert front.awaits_session(ATLAS, ONE, since=0)
    clock.now += 0.1
    assert not front.awaits_session(ATLAS, ONE, since=0)
    assert not front.awaits_window()
    front.bring(ATLAS, ONE, last=None)
    front.give_up()
    assert not front.awaits_window()


def test_a_project_brought_without_a_session_most_likely_shows_its_last(front: Front) -> None:
    front.bring(ATLAS, None, last=ONE)
    assert front.awaits_session(ATLAS, ONE, since=0)
    front.say(says(TWO))  # it was another one
    assert not front.awaits_session(ATLAS, ONE, since=0)


def test_any_session_of_a_project_without_a_last_one_is_awaited_for_a_moment(
    front: Front, clock: Clock
) -> None:
    front.bring(ATLAS, None, last=None)
    assert front.awaits_session(ATLAS, ONE, since=clock.now)
    assert not front.awaits_session(WorkspaceId("orrery"), ONE, since=clock.now)
    clock.now += UNNAMED_SECONDS
    assert not front.awaits_session(ATLAS, ONE, since=clock.now - UNNAMED_SECONDS)
    assert front.awaits_session(ATLAS, ONE, since=clock.now)


def test_what_is_there_already_is_not_awaited(front: Front) -> None:
    front.say(says(ONE))
    front.bring(ATLAS, ONE, last=ONE)
    front.say(says(TWO))
    assert not front.awaits_session(ATLAS, ONE, since=0)


def test_a_page_that_loads_a_project_counts_only_while_a_page_is_visible(front: Front) -> None:
    front.load(ATLAS, ONE)
    assert not front.awaits_session(ATLAS, ONE, since=0)
    front.say(ShownInput(visible=True))
    assert front.awaits_session(ATLAS, ONE, since=0)
    front.say(ShownInput(visible=False))
    assert not front.awaits_session(ATLAS, ONE, since=0)


def test_the_page_that_loads_what_was_brought_takes_nothing_from_it(
    front: Front, clock: Clock
) -> None:
    front.bring(ATLAS, ONE, last=TWO)
    clock.now += COMING_SECONDS - 1
    front.load(ATLAS, TWO)
    clock.now += COMING_SECONDS - 1
    assert front.awaits_session(ATLAS, ONE, since=0)


def test_a_session_that_just_began_in_a_page_is_awaited_for_a_moment(
    front: Front, clock: Clock
) -> None:
    front.say(says(None))
    assert front.awaits_session(ATLAS, ONE, since=clock.now)
    assert not front.awaits_session(ATLAS, ONE, since=clock.now - UNNAMED_SECONDS)
    front.say(says(TWO))
    assert not front.awaits_session(ATLAS, ONE, since=clock.now)
