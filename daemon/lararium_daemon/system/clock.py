"""The wall clock as the protocol writes it."""

from datetime import UTC, datetime


def now_rfc3339() -> str:
    """Return the present time in UTC with milliseconds, e.g. `2026-11-30T19:02:36.123Z`."""
    return as_rfc3339(datetime.now(UTC))


def as_rfc3339(moment: datetime) -> str:
    """Write a moment in UTC that way."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
