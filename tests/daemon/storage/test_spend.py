"""What a day has cost: over all sessions, since a moment, each call once."""

from pathlib import Path

import pytest

from lararium_daemon.protocol.events import Event, SpendRaised, Usage, UsageUpdated
from lararium_daemon.protocol.ids import RunId, SessionId
from lararium_daemon.protocol.wire import encode_payload
from lararium_daemon.storage.journal import Batch, Entry, open_journal

pytestmark = pytest.mark.anyio

RUN = RunId("run_1")
YESTERDAY = "2026-11-29T22:59:59.999Z"
MIDNIGHT = "2026-11-29T23:00:00.000Z"
TODAY = "2026-11-30T12:00:00.000Z"


def call(cost: float | None) -> UsageUpdated:
    return UsageUpdated(RUN, Usage(1, 1), None, cost)


def batch(session: str, at: str, *events: Event) -> Batch:
    entries = [Entry(n, at, e.type, encode_payload(e)) for n, e in enumerate(events, 1)]
    return Batch(SessionId(session), entries, None)


async def test_the_sum_is_over_all_sessions_since_then_and_counts_each_call_once(
    tmp_path: Path,
) -> None:
    copy = UsageUpdated(RUN, Usage(1, 1), None, 4.0, "subagent")
    summary = UsageUpdated(RUN, Usage(1, 1), None, 0.25, "compaction")
    async with open_journal(tmp_path / "journal.db") as journal:
        assert await journal.spend(MIDNIGHT) == (0.0, None)
        await journal.append(batch("ses_0", YESTERDAY, call(8.0), SpendRaised(RUN, "day", 99)))
        await journal.append(batch("ses_1", MIDNIGHT, call(1.0), call(None), copy, summary))
        await journal.append(batch("ses_2", TODAY, call(4.0), SpendRaised(RUN, "session", 50)))

        assert await journal.spend(MIDNIGHT) == (5.25, None)


async def test_the_highest_cap_of_the_day_holds(tmp_path: Path) -> None:
    async with open_journal(tmp_path / "journal.db") as journal:
        raised = [SpendRaised(RUN, "day", cap) for cap in (20.0, 10.0)]
        await journal.append(batch("ses_1", TODAY, *raised))

        assert await journal.spend(MIDNIGHT) == (0.0, 20.0)
