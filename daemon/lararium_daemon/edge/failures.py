"""How often an address may show a wrong credential.

A right one is always taken: who merely shares the address of an attacker, as everybody on loopback
does, is not locked out. What is bounded is guessing, and the work and the log it costs.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

TOO_MANY = (
    "too_many_failures",
    "There were too many wrong credentials from here. Wait, then retry.",
)
"""Code and sentence."""
BURST = 20
SECONDS_EACH = 3.0
"""After the burst, one more for each of these."""
MAX_ADDRESSES = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    filled_at: float


class FailureLimit:
    """The failures of each address; the address that was quiet longest makes room."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def note(self, address: str) -> int | None:
        """Count a failure; give the seconds to wait when there were too many, else None."""
        now = self._clock()
        bucket = self._buckets.setdefault(address, _Bucket(BURST, now))
        self._buckets.move_to_end(address)
        if len(self._buckets) > MAX_ADDRESSES:
            self._buckets.popitem(last=False)
        bucket.left = min(BURST, bucket.left + (now - bucket.filled_at) / SECONDS_EACH)
        bucket.filled_at = now
        if bucket.left >= 1:
            bucket.left -= 1
            return None
        return max(1, math.ceil((1 - bucket.left) * SECONDS_EACH))
