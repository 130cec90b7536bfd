"""How often a daemon that crashes is started again by itself, and how soon."""

import time
from collections import deque
from collections.abc import Callable

LIMIT = 5
WITHIN_SECONDS = 60.0
FIRST_SECONDS = 0.5


class RestartBudget:
    """Of one daemon: at most five restarts in a minute, each after twice the pause."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` gives seconds that only grow."""
        self._clock = clock
        self._times: deque[float] = deque()

    def note(self) -> float | None:
        """Note a crash; give how long to wait before the restart, None when there is none left."""
        now = self._clock()
        while self._times and now - self._times[0] > WITHIN_SECONDS:
            self._times.popleft()
        if len(self._times) >= LIMIT:
            return None
        self._times.append(now)
        return FIRST_SECONDS * 2 ** (len(self._times) - 1)

    def renew(self) -> None:
        """Forget what was: the person has asked for a start."""
        self._times.clear()
