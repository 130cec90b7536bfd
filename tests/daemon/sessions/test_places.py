"""Places for sessions that run at once: never too many, first come first served, none lost."""

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions.places import Places

pytestmark = pytest.mark.anyio

A, B, C = SessionId("ses_a"), SessionId("ses_b"), SessionId("ses_c")


async def test_the_place_that_gets_free_goes_to_the_first_in_line() -> None:
    places = Places(1)
    places.take(A)
    places.line_up(B)
    places.line_up(C)
    assert list(places.admit()) == []
    places.free(A)
    assert [session for session, _ in places.admit()] == [B]
    assert (places.taken, places.waiting) == (1, 1)


async def test_a_session_that_runs_or_waits_does_not_line_up_twice() -> None:
    places = Places(1)
    places.take(A)
    for session in (A, B, B):
        places.line_up(session)
    assert places.waiting == 1


async def test_who_waits_for_the_end_of_a_run_is_woken_when_its_place_is_free() -> None:
    places = Places(1)
    place = places.take(A)
    assert not place.ended.is_set()
    places.free(A)
    assert place.ended.is_set()
    assert places.of(A) is None


async def test_closing_admits_nobody_and_is_drained_when_the_last_has_ended() -> None:
    places = Places(2)
    places.take(A)
    places.line_up(B)
    places.close()
    assert list(places.admit()) == []
    assert not places.drained.is_set()
    places.free(A)
    assert places.drained.is_set()


@given(st.integers(1, 3), st.lists(st.tuples(st.booleans(), st.integers(0, 6))))
async def test_everybody_in_line_runs_once_and_in_order(
    count: int, steps: list[tuple[bool, int]]
) -> None:
    places = Places(count)
    line: deque[SessionId] = deque()
    for comes, number in steps:
        session = SessionId(f"ses_{number}")
        if comes:
            if places.of(session) is None and session not in line:
                line.append(session)
            places.line_up(session)
        elif places.of(session) is not None:
            places.free(session)
        for admitted, _ in places.admit():
            assert admitted == line.popleft()
        assert places.taken <= count
        assert places.waiting == len(line)
        assert not line or not places.has_free
