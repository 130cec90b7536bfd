"""What a real hub does with real daemons that crash, are outdated, or shall start safely."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.fakes.hub_project import Project, open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.running_hub import RunningHub, running_hub

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import find_daemon
from lararium_daemon.client.start import start_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

WAIT_SECONDS = 30.0
ASKS = "[[fake rounds=1 tool=write path=hello.txt content=x]]"


def wait(hub: RunningHub, is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    give_up = time.monotonic() + WAIT_SECONDS
    while True:
        [listed] = hub.link.request("GET", "/workspaces")["items"]
        if is_so(listed):
            return listed
        assert time.monotonic() < give_up, listed
        time.sleep(0.05)


def make_older(folder: Path) -> int:
    """Let a running daemon pass for one of an older version; give its pid."""
    file = resolve_paths(read_environment()).workspace(folder).daemon_json
    record = json.loads(file.read_bytes())
    file.write_text(json.dumps(record | {"app_version": "0.0.1"}), encoding="utf-8")
    return int(record["pid"])


def test_a_killed_daemon_is_started_again_without_anybody_asking(tmp_path: Path) -> None:
    with running_hub() as hub:
        open_project(hub, tmp_path / "atlas")
        before = wait(hub, lambda it: it["state"] == "ready")
        psutil.Process(before["pid"]).kill()
        after = wait(hub, lambda it: it["pid"] not in {None, before["pid"]})
        assert after["state"] == "ready"


def test_an_outdated_daemon_that_is_idle_is_replaced_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "atlas"
    folder.mkdir()
    start_daemon(folder, read_environment())
    old = make_older(folder)
    with running_hub(str(folder)) as hub:
        now = wait(hub, lambda it: it["pid"] not in {None, old} and it["state"] == "ready")
        assert now["outdated"] == ""
        assert not psutil.pid_exists(old)


def test_an_outdated_daemon_with_a_run_takes_no_other_and_is_followed_when_it_has_ended(
    llm: FakeLlm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    folder = tmp_path / "atlas"
    folder.mkdir()
    daemon = start_daemon(folder, read_environment())
    project = Project(daemon.workspace_id, folder, daemon.client())
    session = project.start(ASKS)
    old = make_older(folder)
    with running_hub(str(folder)) as hub:
        wait(hub, lambda it: it["outdated"] == "0.0.1" and it["state"] == "needs_you")
        with pytest.raises(ClientError) as refused:
            give_up = time.monotonic() + WAIT_SECONDS
            while time.monotonic() < give_up:
                project.say(session, "and this")
        assert refused.value.code == "daemon_stopping"
        [request] = project.daemon.request("GET", "/api/permissions/requests")["items"]
        decision = {
            "decision": "deny", "scope": "once", "shown_sha256": request["shown_sha256"],
        }  # fmt: skip
        path = f"/api/permissions/requests/{request['id']}/decision"
        project.daemon.request("POST", path, decision)
        now = wait(hub, lambda it: it["pid"] not in {None, old} and it["state"] == "ready")
        assert now["outdated"] == ""


def test_a_safe_start_uses_nothing_of_the_project_until_the_next_restart(tmp_path: Path) -> None:
    folder = tmp_path / "atlas"
    folder.mkdir()
    (folder / "AGENTS.md").write_text("Speak like a pirate.", encoding="utf-8")
    with running_hub() as hub:
        project = open_project(hub, folder)
        project.daemon.request("POST", "/api/trust", {"trusted": True})
        assert "pirate" in instructions(folder)
        hub.link.request("POST", f"/workspaces/{project.workspace}/safe-start", seconds=60)
        assert wait(hub, lambda it: it["state"] == "ready")["safe"]
        assert "pirate" not in instructions(folder)
        hub.link.request("POST", f"/workspaces/{project.workspace}/restart", seconds=60)
        assert not wait(hub, lambda it: it["state"] == "ready")["safe"]
        assert "pirate" in instructions(folder)


def instructions(folder: Path) -> str:
    handle = find_daemon(resolve_paths(read_environment()).workspace(folder))
    assert handle is not None
    return json.dumps(handle.client().request("GET", "/api/instructions"))
