"""What the person looks at: said by pages, believed for a while."""

from dataclasses import dataclass

import pytest

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.protocol.inbox import ShownInput
from lararium_desktop.hub.front import MAX_PAGES, VALID_SECONDS, Front

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
