"""The wall clock as the protocol writes it."""

from datetime import UTC, datetime


def now_rfc3339() -> str:
    """Return the present time in UTC with milliseconds, e.g. `2026-11-30T19:02:36.123Z`."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
