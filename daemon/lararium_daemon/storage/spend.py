"""What a workspace has spent since a moment, over the events of all its sessions."""

import logging
import sqlite3

logger = logging.getLogger(__name__)

# The types stand in the query as they do in the index, or it would not be used.
_SPENT = """
    SELECT total(json_extract(CAST(payload AS TEXT), '$.cost_usd')) FROM event
    WHERE type IN ('spend.raised', 'usage.updated') AND at >= ?
    AND coalesce(json_extract(CAST(payload AS TEXT), '$.purpose'), 'turn') <> 'subagent'
"""
_CAP = """
    SELECT max(json_extract(CAST(payload AS TEXT), '$.cap_usd')) FROM event
    WHERE type IN ('spend.raised', 'usage.updated') AND at >= ?
    AND json_extract(CAST(payload AS TEXT), '$.scope') = 'day'
"""


def read_spend(connection: sqlite3.Connection, since: str) -> tuple[float, float | None]:
    """Give the US dollars spent since a time, and the day's cap that was raised since then.

    A journal that cannot be read has spent nothing: a damaged page must not hold up every run.
    """
    try:
        spent = connection.execute(_SPENT, (since,)).fetchone()[0]
        cap = connection.execute(_CAP, (since,)).fetchone()[0]
    except sqlite3.DatabaseError:
        logger.exception("What was spent cannot be read")
        return 0.0, None
    return float(spent), cap
