"""How often a process that ends by itself is started again: at most so many times in so long."""

import time
from collections import deque
from collections.abc import Callable

LIMIT = 5
WITHIN_SECONDS = 60.0


class Restarts:
    """Counts the restarts of one process."""

    def __init__(
        self,
        limit: int = LIMIT,
        within_seconds: float = WITHIN_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`clock` gives seconds that only grow."""
        self._within = within_seconds
        self._clock = clock
        self._times: deque[float] = deque(maxlen=limit)

    def note(self) -> float:
        """Note one more restart; give how many seconds to wait before it, 0 for none."""
        now = self._clock()
        full = len(self._times) == self._times.maxlen
        at = max(now, self._times[0] + self._within) if full else now
        self._times.append(at)
        return at - now
