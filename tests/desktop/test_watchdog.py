"""A page that owes a sign of life for seven seconds is hung; a busy machine alone makes none so."""

from hypothesis import given
from hypothesis import strategies as st

from lararium_desktop.window.watchdog import (
    FIRST_PATIENCE_SECONDS,
    LONGEST_TICK_SECONDS,
    PATIENCE_SECONDS,
    TICK_SECONDS,
    Step,
    Watchdog,
)


def living(now: float = 0.0) -> Watchdog:
    """A watchdog whose page has answered once."""
    watchdog = Watchdog()
    assert watchdog.tick(now) == "ask"
    watchdog.answer(watchdog.question)
    return watchdog


def until_restart(watchdog: Watchdog, now: float) -> float:
    """Tick until it gives up, without an answer; give how long that took."""
    first = now
    while watchdog.tick(now) != "restart":
        now += TICK_SECONDS
    return now - first


def test_a_page_that_answers_is_asked_again_and_left_alone():
    watchdog = living()
    for second in range(1, 100):
        assert watchdog.tick(float(second)) == "ask"
        watchdog.answer(watchdog.question)


def test_a_page_that_falls_silent_is_restarted_after_its_patience():
    assert until_restart(living(0.0), 1.0) == PATIENCE_SECONDS - TICK_SECONDS


def test_a_late_answer_in_time_saves_the_page():
    watchdog = living()
    steps = [watchdog.tick(1.0 + second) for second in range(6)]
    assert steps == ["ask", *["wait"] * 5]
    watchdog.answer(watchdog.question)
    assert watchdog.tick(7.0) == "ask"


def test_a_page_that_never_answered_gets_the_time_of_a_start():
    assert until_restart(Watchdog(), 0.0) == FIRST_PATIENCE_SECONDS


def test_the_page_after_a_restart_is_a_new_one():
    watchdog = living()
    old = watchdog.question + 1
    until_restart(watchdog, 1.0)
    assert watchdog.tick(10.0) == "ask"
    watchdog.answer(old)
    assert watchdog.tick(11.0) == "wait"
    watchdog.answer(watchdog.question)
    assert watchdog.tick(12.0) == "ask"


def test_a_page_that_is_loaded_anew_owes_nothing():
    watchdog = living()
    for second in range(1, 8):
        watchdog.tick(float(second))
    watchdog.begin()
    assert watchdog.tick(8.0) == "ask"


def test_a_page_that_hangs_as_soon_as_it_begins_gets_no_longer_time():
    watchdog = Watchdog()
    watchdog.tick(0.0)
    watchdog.begin()
    assert until_restart(watchdog, 1.0) == PATIENCE_SECONDS - TICK_SECONDS


def test_a_window_that_was_stopped_itself_does_not_blame_the_page():
    watchdog = living()
    assert watchdog.tick(1.0) == "ask"
    assert watchdog.tick(601.0) == "wait"
    watchdog.answer(watchdog.question)
    assert watchdog.tick(602.0) == "ask"


@given(st.lists(st.tuples(st.floats(0.01, 100.0), st.booleans()), max_size=200))
def test_no_page_is_restarted_that_answered_within_the_last_ticks(
    pauses: list[tuple[float, bool]],
):
    watchdog, now, unanswered = living(), 0.0, 0
    for pause, answers in pauses:
        now += pause
        step: Step = watchdog.tick(now)
        unanswered = 0 if step == "ask" else unanswered + 1
        if step == "restart":
            assert (unanswered + 1) * LONGEST_TICK_SECONDS >= PATIENCE_SECONDS
            unanswered = 0
        elif answers:
            watchdog.answer(watchdog.question)
