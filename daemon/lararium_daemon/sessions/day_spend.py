"""What this day has cost a workspace, asked of its journal."""

from datetime import UTC, datetime

from lararium_daemon.agent.spending import DaySpend
from lararium_daemon.storage.journal import Journal
from lararium_daemon.system.clock import as_rfc3339


async def day_spend(journal: Journal) -> DaySpend:
    """Sum up all sessions since midnight where the person is."""
    midnight = datetime.now().astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return DaySpend(*await journal.spend(as_rfc3339(midnight.astimezone(UTC))))
