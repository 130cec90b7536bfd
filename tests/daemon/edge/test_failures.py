"""Wrong credentials are bounded by address, and so is what is remembered of them."""

from lararium_daemon.edge import failures
from lararium_daemon.edge.failures import BURST, SECONDS_EACH, FailureLimit


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def test_after_a_burst_an_address_waits_and_may_then_fail_again() -> None:
    clock = Clock()
    limit = FailureLimit(clock)
    assert [limit.note("a") for _ in range(BURST)] == [None] * BURST
    assert limit.note("a") == SECONDS_EACH
    assert limit.note("b") is None
    clock.now += SECONDS_EACH - 1
    assert limit.note("a") == 1
    clock.now += 1
    assert limit.note("a") is None
    clock.now += 1000 * SECONDS_EACH
    assert [limit.note("a") for _ in range(BURST)] == [None] * BURST
    assert limit.note("a") is not None


def test_the_address_that_was_quiet_longest_is_forgotten() -> None:
    limit = FailureLimit(Clock())
    for _ in range(BURST + 1):
        limit.note("old")
    for number in range(failures.MAX_ADDRESSES):
        limit.note(f"address {number}")
    assert limit.note("old") is None
