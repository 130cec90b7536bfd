"""When a failed model call is tried again, and after how long. Pure: no clock, no chance.

Only what may pass by itself is retried, and only before anything of the answer was shown. A server
that says how long to wait is obeyed to the full; one that says longer than a person would sit and
watch is reported instead.
"""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite

from lararium_daemon.providers.provider import ProviderError

MAX_RETRIES = {
    "provider_rate_limit": 5,
    "provider_overloaded": 5,
    "provider_unreachable": 2,
    "provider_cut": 2,
    "provider_timeout": 1,
}
"""By code; all other failures are final. A time-out has cost minutes already."""

FIRST_WAIT_SECONDS = 0.5
LONGEST_BACKOFF_SECONDS = 16.0
LONGEST_WAIT_SECONDS = 120.0
"""A server that asks for more is not waited for."""
JITTER = 0.25


def wait_before_retry(error: ProviderError, retries_so_far: int, chance: float) -> float | None:
    """Give the seconds to wait before the next try, None when there is to be none.

    `chance` in 0…1 spreads clients that failed together. A `Retry-After` is a lower bound; 0 says
    nothing about how busy the server is, so the usual back-off holds.
    """
    if retries_so_far >= MAX_RETRIES.get(error.code, 0):
        return None
    backoff = min(FIRST_WAIT_SECONDS * 2**retries_so_far, LONGEST_BACKOFF_SECONDS)
    wait = max(backoff, error.retry_after or 0.0)
    if wait > LONGEST_WAIT_SECONDS:
        return None
    return wait * (1 + JITTER * chance)


def parse_retry_after(milliseconds: str, seconds_or_date: str, now: datetime) -> float | None:
    """Read `retry-after-ms` and `Retry-After`; None when neither says anything usable.

    Source: https://www.rfc-editor.org/rfc/rfc9110, section 10.2.3.
    """
    for text, unit in ((milliseconds, 1000.0), (seconds_or_date, 1.0)):
        try:
            seconds = float(text) / unit
        except ValueError:
            continue
        if isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        when = parsedate_to_datetime(seconds_or_date)
    except ValueError:
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return max(0.0, (when - now).total_seconds())
