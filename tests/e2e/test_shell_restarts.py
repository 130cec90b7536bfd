"""Whatever of the shell hangs or is killed comes back by itself, and no run notices.

`LARARIUM_RELIABILITY=full` kills hub and window 20 times each instead of once.
"""

import json
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.llm_server import FakeLlm
from websockets.sync.client import connect

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

FULL = os.environ.get("LARARIUM_RELIABILITY") == "full"
KILLS = 20 if FULL else 1

pytest.importorskip("gi", reason="PyGObject is not installed")
pytestmark = [
    pytest.mark.window,
    pytest.mark.e2e,
    pytest.mark.timeout(1800 if FULL else 240),
    pytest.mark.skipif(bool(missing_programs()), reason=f"no {', '.join(missing_programs())}"),
]

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")
POSING = Path(__file__).parents[1] / "fakes" / "posing_server.py"
HANGING = """<!doctype html><title>hangs</title>
<script>fetch("/hit/loaded").then(() => { for (;;); });</script>"""
TOKENS_PER_SECOND = 20
RUN_SECONDS = 25 * KILLS
RETURN_SECONDS = 120
"""A shell that was killed too often waits for its minute."""


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


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


def the_hub() -> HubLink | None:
    return find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))


def the_daemon(folder: Path) -> DaemonHandle | None:
    return find_daemon(resolve_paths(read_environment()).workspace(folder))


def attached_hub() -> HubLink | None:
    """Give the hub once it has its window, whose page follows it."""
    hub = the_hub()
    try:
        status = {} if hub is None else hub.request("GET", "/status")
    except ClientError:
        return None
    return hub if status.get("window") and status["pages"] == 1 else None


def shell_state() -> dict[str, Any]:
    """Give what the hub tells its pages."""
    hub = wait_for("hub", the_hub)
    headers = {"Authorization": f"Bearer {hub.token}"}
    url = f"ws://127.0.0.1:{hub.port}/api/events"
    with connect(url, additional_headers=headers, proxy=None, open_timeout=10) as socket:
        socket.send(json.dumps({"type": "subscribe", "topic": "shell"}))
        return json.loads(socket.recv(timeout=10))


def of_shell(rig: Rig, part: str) -> list[psutil.Process]:
    """Give the shell's processes of one kind: `_hub` or `_window`."""
    found: list[psutil.Process] = []
    for each in rig.detached():
        with suppress(psutil.Error):  # it may end meanwhile
            if each.cmdline()[-1:] == [part]:
                found.append(each)
    return found


def leftovers(rig: Rig) -> list[list[str]]:
    """Give the command lines of what the app has left running.

    What the session bus started on the way (portals, accessibility) stays as long as the bus.
    """
    found: list[list[str]] = []
    for each in rig.detached():
        with suppress(psutil.Error):
            found.append(each.cmdline())
    return [line for line in found if re.search(r"lararium|WebKit", " ".join(line))]


def sessions(daemon: DaemonHandle) -> list[dict[str, Any]]:
    return daemon.client().request("GET", "/api/sessions")["items"]


def start_run(daemon: DaemonHandle) -> None:
    session = daemon.client().request("POST", "/api/sessions", {})["id"]
    tokens = TOKENS_PER_SECOND * RUN_SECONDS
    text = f"tell [[fake tokens={tokens} tps={TOKENS_PER_SECOND}]]"
    body = {"client_message_id": "m1", "text": text}
    daemon.client().request("POST", f"/api/sessions/{session}/messages", body)
    wait_for("run", lambda: sessions(daemon)[0]["activity"] != "idle")


def kill_and_wait(rig: Rig, part: str) -> float:
    """Kill hub or window, wait until the shell is whole again; give the seconds that took."""
    [victim] = of_shell(rig, part)
    begun = time.monotonic()
    victim.kill()
    wait_for(f"new {part}", lambda: victim not in of_shell(rig, part) and of_shell(rig, part), 120)
    wait_for("whole shell", attached_hub, RETURN_SECONDS)
    return time.monotonic() - begun


def test_a_run_ends_normally_whatever_of_the_shell_is_killed(rig: Rig, code: Path, llm: FakeLlm):
    rig.start("lararium", *LARARIUM, str(code / "atlas"))
    port = wait_for("shell", attached_hub, 90).port
    daemon = wait_for("daemon", lambda: the_daemon(code / "atlas"), 60)
    start_run(daemon)

    parts = ["_hub", "_window"] * KILLS
    seconds = [(part, kill_and_wait(rig, part)) for part in parts]
    assert [len(of_shell(rig, part)) for part in ("_hub", "_window")] == [1, 1]
    assert wait_for("shell", attached_hub).port == port
    found = the_daemon(code / "atlas")
    assert found is not None
    assert (found.pid, found.guid) == (daemon.pid, daemon.guid)
    [listed] = shell_state()["workspaces"]
    assert listed["pid"] == daemon.pid

    wait_for("end of the run", lambda: sessions(daemon)[0]["activity"] == "idle", RUN_SECONDS + 60)
    assert sessions(daemon)[0]["last_outcome"] == "completed"
    sys.stdout.write(f"back after {[(part, round(each, 1)) for part, each in seconds]} s\n")

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
