"""The daemon's fold gives the state that the daemon had, from what a page received of real runs.

The page's reducer is held to the same files in `web/src/lib/events/traces.test.ts`.
"""

import json
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.fakes.event_client import FoldingClient

from lararium_daemon.protocol.events import EVENTS
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions.fold import count

HERE = Path(__file__).parent
TRACES = sorted(HERE.glob("*.json"))


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def event_types(trace: dict[str, Any]) -> set[str]:
    messages = trace["messages"]
    live = {m["event"]["type"] for m in messages if m["type"] == "event"}
    return live | {event["type"] for m in messages for event in m.get("events", [])}


@pytest.mark.parametrize("path", TRACES, ids=lambda path: path.stem)
def test_the_fold_of_what_a_page_received_is_the_daemons_state(path: Path) -> None:
    trace = read(path)
    client = FoldingClient(SessionId(trace["state"]["session_id"]))
    for message in trace["messages"]:
        assert client.take(message)
    assert client.holes == 0
    assert orjson.loads(orjson.dumps(client.fold.state)) == trace["state"]
    assert client.fold.counts() == count(client.fold.state)


def test_every_event_type_is_in_a_trace() -> None:
    """Add a scene to `record.py` for a new one, and record it."""
    assert set().union(*(event_types(read(path)) for path in TRACES)) == set(EVENTS)
