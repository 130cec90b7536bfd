"""Thousands of odd requests to a real daemon and a real hub: none breaks them, hangs or grows them.

schemathesis makes what the OpenAPI documents allow and forbid, `frame_fuzz.py` what is no HTTP and
no WebSocket any more.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from tests.fakes.frame_fuzz import FrameFuzz
from tests.fakes.hub_project import open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import real_daemon
from tests.fakes.running_hub import running_hub
from tests.fakes.schema_fuzz import Route, SchemaFuzz
from tests.reliability.scale import FULL, dice, new_seed, report, scaled

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

pytestmark = [
    pytest.mark.timeout(3_600),
    pytest.mark.skipif(sys.platform != "linux", reason="reads the log and the memory as Linux has"),
]

MADE = scaled(60, 3_500)
BROKEN = scaled(60, 1_100)
SOCKETS = scaled(30, 1_700)
"""For each of the two servers."""
AT_ONCE = scaled(1, 12)
WARM_UP = scaled(10, 300)
SEED = 1
"""In CI size: a run that is red by chance says nothing about the change before it."""
GROWTH_BYTES = 50 * 1024 * 1024

SKIPPED: dict[Route, str] = {
    ("POST", "/api/drain"): "ends the daemon",
    ("POST", "/api/quit"): "ends the hub",
    ("POST", "/api/logins"): "asks a service on the internet",
    ("POST", "/api/native/show"): "opens a window and waits for it",
}
STRANGERS: dict[Route, str] = {
    ("DELETE", "/api/sessions/{session_id}"): "what exists shall go on existing",
    ("DELETE", "/api/profiles/{name}"): "what exists shall go on existing",
    ("DELETE", "/api/workspaces/{workspace}"): "what exists shall go on existing",
    ("POST", "/api/workspaces/{workspace}/open"): "starts a daemon, which takes its time",
    ("POST", "/api/workspaces/{workspace}/restart"): "starts a daemon, which takes its time",
    ("POST", "/api/workspaces/{workspace}/stop"): "stops a daemon, which takes its time",
}
BY_DESIGN: dict[tuple[int, str], str] = {
    (501, "no_window"): "there is no window that could do it",
}
"""Answers of 500 and more that say what is, and why they are right."""


@dataclass(frozen=True)
class Target:
    name: str
    base_url: str
    token: str
    pid: int
    log: Path
    known: dict[str, list[str]]

    @property
    def memory(self) -> int:
        return psutil.Process(self.pid).memory_info().rss

    def faults(self) -> list[str]:
        """What the log calls an error."""
        records = map(json.loads, self.log.read_text(encoding="utf-8").splitlines())
        return [
            str(each)[-1500:] for each in records if each["level"].lower() in {"error", "critical"}
        ]


@pytest.fixture(params=["daemon", "hub"])
def target(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Target]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # what is meant for elsewhere ends here
    with FakeLlm() as llm:
        for name, value in llm.environment.items():
            monkeypatch.setenv(name, value)
        yield from (_daemon if request.param == "daemon" else _hub)(tmp_path)


def _daemon(folder: Path) -> Iterator[Target]:
    with real_daemon(folder / "project", idle_stop_seconds=0) as daemon:
        client = DaemonClient(daemon.base_url, daemon.token)
        pid = int(client.request("GET", "/api/status")["pid"])
        sessions = [str(client.request("POST", "/api/sessions", {})["id"]) for _ in range(3)]
        for session in sessions:
            said = {"client_message_id": "first", "text": "[[fake rounds=1 tool=shell]]"}
            client.request("POST", f"/api/sessions/{session}/messages", said)
        known = {"session_id": sessions, "name": ["Saved"]}
        yield Target("daemon", daemon.base_url, daemon.token, pid, daemon.places.log, known)


def _hub(folder: Path) -> Iterator[Target]:
    with running_hub() as hub:
        project = open_project(hub, folder / "project")
        project.start("Hello.")
        log = next(resolve_paths(read_environment()).state.glob("hub/*.log"))
        known = {"workspace": [project.workspace]}
        yield Target("hub", hub.link.base_url, hub.link.token, hub.link.pid, log, known)


def test_no_request_breaks_a_server_or_makes_it_hang_or_grow(target: Target) -> None:
    number = new_seed() if FULL else SEED
    made = SchemaFuzz(target.base_url, target.token, target.known, SKIPPED, STRANGERS, dice(number))
    made.run(WARM_UP, AT_ONCE)
    before = target.memory
    made.run(MADE - WARM_UP, AT_ONCE)
    port = int(target.base_url.rpartition(":")[2])
    frames = FrameFuzz(port, target.token, dice(number))
    frames.run(BROKEN, SOCKETS)
    growth = target.memory - before

    tallies = (made.tally, frames.tally)
    sent = sum(each.sent for each in tallies)
    report(
        f"{target.name}, seed {number}: {sent} requests ({made.tally.sent} of the schema, "
        f"{frames.tally.sent} broken, with {frames.frames} frames), "
        f"slowest {max(t.slowest_seconds for t in tallies):.1f} s, "
        f"memory {growth / 2**20:+.1f} MiB, statuses "
        f"{dict(sorted((made.tally.statuses + frames.tally.statuses).items()))}"
    )
    broken = made.tally.broken + frames.tally.broken
    assert {each: n for each, n in broken.items() if each[:2] not in BY_DESIGN} == {}
    assert [hang for each in tallies for hang in each.hangs] == []
    assert made.tally.odd == []
    assert target.faults() == []
    assert sent >= (MADE + BROKEN + SOCKETS)
    assert growth < GROWTH_BYTES
    alive = DaemonClient(target.base_url, target.token).request("GET", "/api/status")
    assert alive["pid"] == target.pid
    assert not FULL or made.tally.unsendable < made.tally.sent / 10
