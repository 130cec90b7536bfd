"""A daemon that crashes is started again five times in a minute, each time later."""

from lararium_desktop.hub.restart_budget import RestartBudget


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_each_crash_in_a_minute_waits_twice_as_long_until_the_sixth_is_not_repeated():
    budget = RestartBudget(Clock())
    assert [budget.note() for _ in range(6)] == [0.5, 1.0, 2.0, 4.0, 8.0, None]


def test_a_minute_without_a_crash_renews_it_and_so_does_the_person():
    clock = Clock()
    budget = RestartBudget(clock)
    for _ in range(6):
        budget.note()
    clock.now += 61
    assert budget.note() == 0.5
    budget.renew()
    assert budget.note() == 0.5
