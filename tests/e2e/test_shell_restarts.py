"""Whatever of the shell hangs or is killed comes back by itself, and no run notices.

`LARARIUM_RELIABILITY=full` kills hub, window and tray 20 times each instead of once.
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import httpx
import psutil
import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.e2e.shell import (
    LARARIUM,
    attached_hub,
    processes,
    sessions,
    shell_state,
    the_daemon,
    the_hub,
)
from tests.fakes.llm_server import FakeLlm
from tests.fakes.tray_host import TrayHost
from tests.reliability.scale import FULL, dice, new_seed, report, scaled

from lararium_daemon.client.find import DaemonHandle

KILLS = scaled(1, 20)
PARTS = ("_hub", "_window", "_tray")

pytest.importorskip("gi", reason="PyGObject is not installed")
pytestmark = [
    pytest.mark.window,
    pytest.mark.e2e,
    pytest.mark.timeout(3600 if FULL else 240),
    pytest.mark.skipif(bool(missing_programs()), reason=f"no {', '.join(missing_programs())}"),
]

POSING = Path(__file__).parents[1] / "fakes" / "posing_server.py"
HANGING = """<!doctype html><title>hangs</title>
<script>fetch("/hit/loaded").then(() => { for (;;); });</script>"""
TOKENS_PER_SECOND = 20
RUN_SECONDS = 8
MOST_PAUSE_SECONDS = 4.0
"""Before a kill, so that it meets a run anywhere."""
RETURN_SECONDS = 120
"""A shell that was killed too often waits for its minute."""


@pytest.fixture
def rig(tmp_path: Path, llm: FakeLlm, lararium_home: Path) -> Iterator[Rig]:
    with desktop(tmp_path / "rig", tmp_path / "shots", variables=llm.environment) as rig:
        yield rig


@pytest.fixture
def code(lararium_home: Path) -> Path:
    folder = lararium_home.parent / "code"
    for name in ("atlas", "hangs"):
        (folder / name).mkdir(parents=True)
    return folder


@pytest.fixture
def host(rig: Rig) -> Iterator[TrayHost]:
    with TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as host:
        yield host


class Work:
    """One run after the other in a daemon, each in a session of its own."""

    def __init__(self, daemon: DaemonHandle) -> None:
        self.daemon = daemon
        self._numbers = count(1)

    def is_under_way(self) -> bool:
        return any(each["activity"] != "idle" for each in sessions(self.daemon))

    def keep_going(self) -> None:
        """Begin the next run when the last one has ended."""
        if self.is_under_way():
            return
        client = self.daemon.client()
        session = client.request("POST", "/api/sessions", {})["id"]
        tokens = TOKENS_PER_SECOND * RUN_SECONDS
        text = f"tell [[fake tokens={tokens} tps={TOKENS_PER_SECOND}]]"
        body = {"client_message_id": f"m{next(self._numbers)}", "text": text}
        client.request("POST", f"/api/sessions/{session}/messages", body)
        wait_for("run", self.is_under_way)

    def outcomes(self) -> list[str]:
        """Wait for the last run, and say how each ended."""
        wait_for("end of the last run", lambda: not self.is_under_way(), RUN_SECONDS + 60)
        return [each["last_outcome"] for each in sessions(self.daemon)]


def leftovers(rig: Rig) -> list[list[str]]:
    """Give the command lines of what the app has left running.

    What the session bus started on the way (portals, accessibility) stays as long as the bus.
    """
    found: list[list[str]] = []
    for each in rig.detached():
        with suppress(psutil.Error):
            found.append(each.cmdline())
    return [line for line in found if re.search(r"lararium|WebKit", " ".join(line))]


def lacking(rig: Rig, host: TrayHost) -> str:
    """Say what keeps the shell from being whole, "" when nothing does."""
    counted = [len(processes(rig, part)) for part in PARTS]
    if counted != [1, 1, 1]:
        return f"of {PARTS} there are {counted}"
    if attached_hub() is None:
        hub = the_hub()
        return f"no page attached: {hub and hub.request('GET', '/status')}"
    return "" if host.entry() else "no icon"


def wait_whole(rig: Rig, host: TrayHost, after: str) -> None:
    """Wait until there is one of each part, attached to the hub, and the icon."""
    give_up = time.monotonic() + RETURN_SECONDS
    while missing := lacking(rig, host):
        assert time.monotonic() < give_up, f"after {after}: {missing}"
        time.sleep(0.05)


def kill_and_wait(rig: Rig, host: TrayHost, part: str) -> float:
    """Kill a part, wait until the shell is whole again; give the seconds that took."""
    [victim] = processes(rig, part)
    begun = time.monotonic()
    victim.kill()
    wait_for(f"end of {part}", lambda: victim not in processes(rig, part))
    wait_whole(rig, host, part)
    return time.monotonic() - begun


def test_every_run_ends_normally_whatever_of_the_shell_is_killed(
    rig: Rig, host: TrayHost, code: Path
):
    seed = new_seed()
    rolls = dice(seed)
    rig.start("lararium", *LARARIUM, str(code / "atlas"))
    wait_whole(rig, host, "the start")
    port = wait_for("hub", the_hub).port
    daemon = wait_for("daemon", lambda: the_daemon(code / "atlas"), 60)
    work, took = Work(daemon), dict[str, list[float]]()

    for part in rolls.sample(PARTS * KILLS, len(PARTS) * KILLS):
        work.keep_going()
        time.sleep(rolls.uniform(0, MOST_PAUSE_SECONDS))
        took.setdefault(part, []).append(kill_and_wait(rig, host, part))
        found = the_daemon(code / "atlas")
        assert found is not None, f"seed {seed}"
        assert (found.pid, found.guid) == (daemon.pid, daemon.guid), f"seed {seed}"
        [listed] = shell_state()["workspaces"]
        assert listed["pid"] == daemon.pid, f"seed {seed}"

    assert wait_for("shell", attached_hub).port == port
    outcomes = work.outcomes()
    assert set(outcomes) == {"completed"}, f"seed {seed}"
    for part, seconds in took.items():
        ordered = sorted(seconds)
        middle, slowest = ordered[len(ordered) // 2], ordered[-1]
        report(f"{part}: {len(ordered)} kills, back in {middle:.1f} s, at most {slowest:.1f} s")
    report(f"{len(outcomes)} runs completed, one daemon throughout, seed {seed}")

    rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)
    begun = time.monotonic()
    while (left := leftovers(rig)) and time.monotonic() < begun + 30:
        time.sleep(0.1)
    assert left == []


def test_a_page_in_an_endless_loop_is_replaced_and_not_loaded_by_itself_again(
    rig: Rig, code: Path, tmp_path: Path
):
    page = tmp_path / "hangs.html"
    page.write_text(HANGING, encoding="utf-8")
    argv = (sys.executable, "-P", str(POSING), "daemon", str(code / "hangs"), str(page))
    posing = json.loads(rig.start_ready("posing", *argv))["url"]
    wait_for("posing daemon", lambda: the_daemon(code / "hangs"))
    rig.start("lararium", *LARARIUM, str(code / "atlas"))
    wait_for("shell", attached_hub, 90)
    wait_for("daemon", lambda: the_daemon(code / "atlas"), 60)
    hub = wait_for("hub", the_hub)
    [atlas] = hub.request("GET", "/workspaces")["items"]
    hangs = hub.request("POST", "/workspaces", {"path": str(code / "hangs")})["id"]

    rig.run(*LARARIUM, "open", hangs, timeout=60)
    began = time.monotonic()
    wait_for("restart of the page", lambda: shell_state()["held"] == hangs, 60)
    wait_for("page of the hub", attached_hub, 60)

    def switched() -> bool:
        rig.keys("ctrl+1")
        return shell_state()["shown"] == atlas["id"]

    assert shell_state()["shown"] == hangs
    wait_for("switch to the other project", switched, pause=0.5)
    sys.stdout.write(f"usable {time.monotonic() - began:.1f} s after it was shown\n")
    assert shell_state()["held"] == hangs
    loads = httpx.get(f"{posing}/hits", trust_env=False, timeout=10).json()
    assert [each["name"] for each in loads] == ["loaded"]
    rig.run(*LARARIUM, "quit", timeout=60)
