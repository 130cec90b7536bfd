"""A process that keeps ending is started again five times a minute and no more."""

from lararium_desktop.system.restarts import Restarts


def test_the_first_five_come_at_once_and_the_sixth_waits_for_the_minute():
    now = 100.0
    restarts = Restarts(clock=lambda: now)
    assert [restarts.note() for _ in range(5)] == [0.0] * 5
    now = 110.0
    assert restarts.note() == 50.0


def test_what_was_put_off_counts_when_it_happens():
    now = 0.0
    restarts = Restarts(limit=1, within_seconds=10, clock=lambda: now)
    assert restarts.note() == 0
    assert restarts.note() == 10
    now = 10.0
    assert restarts.note() == 10


def test_after_a_quiet_minute_all_is_forgotten():
    now = 0.0
    restarts = Restarts(clock=lambda: now)
    for _ in range(5):
        restarts.note()
    now = 60.0
    assert restarts.note() == 0
