"""The inbox of a real hub over real daemons: what waits is there, and one answer counts."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.hub_project import open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.running_hub import RunningHub, running_hub
from websockets.sync.client import connect

from lararium_daemon.client.errors import ClientError
from lararium_desktop.system.hub_link import HubLink

WAIT_SECONDS = 20.0
EDIT = "[[fake rounds=1 tool=write path=hello.txt]]"
SHELL = "[[fake rounds=1 tool=shell command='touch a']]"


@pytest.fixture(autouse=True)
def model(llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", llm.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "x")


@pytest.fixture
def hub() -> Iterator[RunningHub]:
    with running_hub() as running:
        yield running


def wait_inbox(
    link: HubLink, found: Callable[[list[dict[str, Any]]], bool]
) -> list[dict[str, Any]]:
    """Ask again until the inbox is as wanted."""
    end = time.monotonic() + WAIT_SECONDS
    while True:
        items: list[dict[str, Any]] = link.request("GET", "/inbox")["items"]
        if found(items):
            return items
        assert time.monotonic() < end, json.dumps(items, indent=1)
        time.sleep(0.05)


def kinds(items: list[dict[str, Any]]) -> list[str]:
    return [each["kind"] for each in items]


def state_of(hub: RunningHub, workspace: str) -> dict[str, Any]:
    listed = hub.link.request("GET", "/workspaces")["items"]
    return next(each for each in listed if each["id"] == workspace)


def answer(link: HubLink, item: dict[str, Any], **given: Any) -> dict[str, Any]:
    return link.request("POST", f"/inbox/{item['id']}/answer", given)


def test_a_confined_edit_is_allowed_from_the_inbox_and_the_run_finishes(
    hub: RunningHub, tmp_path: Path
) -> None:
    project = open_project(hub, tmp_path / "atlas-api")
    project.start(EDIT)
    [item] = wait_inbox(hub.link, lambda items: kinds(items) == ["needs_you"])
    assert (item["workspace_name"], item["title"]) == ("atlas-api", "Limit by key")
    assert (item["buttons"], item["tool"]) == (["allow_once", "deny"], "write_file")
    busy = state_of(hub, project.workspace)
    assert (busy["state"], busy["waiting"], busy["running"]) == ("needs_you", 1, 1)

    assert answer(hub.link, item, action="allow_once")["outcome"] == "taken"
    [done] = wait_inbox(hub.link, lambda items: kinds(items) == ["finished"])
    assert (project.folder / "hello.txt").read_text("utf-8") == "hello\n"
    assert answer(hub.link, item, action="deny")["outcome"] == "elsewhere"
    idle = state_of(hub, project.workspace)
    assert (idle["state"], idle["unread"], idle["running"]) == ("ready", 1, 0)

    shown = {"workspace_id": project.workspace, "session_id": done["session_id"], "visible": True}
    hub.link.request("PUT", "/shown", shown)
    assert hub.link.request("GET", "/inbox")["items"] == []


def test_a_command_must_be_looked_at_and_its_hash_named(hub: RunningHub, tmp_path: Path) -> None:
    project = open_project(hub, tmp_path / "atlas-api")
    project.start(SHELL)
    [item] = wait_inbox(hub.link, lambda items: kinds(items) == ["needs_you"])
    assert (item["buttons"], item["program"]) == (["review", "deny"], "touch")
    with pytest.raises(ClientError) as caught:
        answer(hub.link, item, action="allow_once")
    assert (caught.value.status, caught.value.code) == (409, "review_first")
    request = hub.link.request("GET", f"/inbox/{item['id']}")["request"]
    assert request["shown"].endswith("\ntouch a")
    with pytest.raises(ClientError) as caught:
        answer(hub.link, item, action="allow_once", shown_sha256="0" * 64)
    assert caught.value.code == "shown_mismatch"
    given = {"action": "allow_once", "shown_sha256": request["shown_sha256"]}
    assert answer(hub.link, item, **given)["outcome"] == "taken"


def test_what_is_answered_in_the_project_leaves_the_inbox(hub: RunningHub, tmp_path: Path) -> None:
    project = open_project(hub, tmp_path / "atlas-api")
    project.start(SHELL)
    wait_inbox(hub.link, lambda items: kinds(items) == ["needs_you"])
    [request] = project.daemon.request("GET", "/api/permissions/requests")["items"]
    decision = {"decision": "deny", "shown_sha256": request["shown_sha256"]}
    path = f"/api/permissions/requests/{request['id']}/decision"
    project.daemon.request("POST", path, decision)
    wait_inbox(hub.link, lambda items: kinds(items) == ["finished"])


def test_two_projects_are_in_one_inbox_and_a_hub_that_was_away_misses_nothing(
    tmp_path: Path,
) -> None:
    with running_hub() as hub:
        atlas = open_project(hub, tmp_path / "atlas-api")
        orrery = open_project(hub, tmp_path / "orrery")
        atlas.start(SHELL, "First")
        wait_inbox(hub.link, lambda items: len(items) == 1)
        assert hub.end() == 0
        orrery.start(EDIT, "Second")
        with running_hub() as again:
            items = wait_inbox(again.link, lambda items: len(items) == 2)
            assert [each["title"] for each in items] == ["First", "Second"]
            assert answer(again.link, items[0], action="deny")["outcome"] == "taken"
            wait_inbox(again.link, lambda items: kinds(items) == ["needs_you", "finished"])
            dismissed = wait_inbox(again.link, lambda items: len(items) == 2)[1]
            assert answer(again.link, dismissed, action="dismiss")["outcome"] == "dismissed"
            assert kinds(again.link.request("GET", "/inbox")["items"]) == ["needs_you"]


def test_a_daemon_that_is_stopped_takes_what_it_asked_with_it(
    hub: RunningHub, tmp_path: Path
) -> None:
    project = open_project(hub, tmp_path / "atlas-api")
    project.start(SHELL)
    wait_inbox(hub.link, lambda items: kinds(items) == ["needs_you"])
    hub.link.request("POST", f"/workspaces/{project.workspace}/stop", seconds=60)
    wait_inbox(hub.link, lambda items: items == [])
    hub.link.request("POST", f"/workspaces/{project.workspace}/open", seconds=60)
    assert hub.link.request("GET", "/inbox")["items"] == []


def test_a_page_that_follows_the_shell_is_told_of_the_inbox(
    hub: RunningHub, tmp_path: Path
) -> None:
    project = open_project(hub, tmp_path / "atlas-api")
    headers = {"Authorization": f"Bearer {hub.link.token}"}
    url = f"{hub.link.base_url.replace('http', 'ws')}/api/events"
    with connect(url, additional_headers=headers, proxy=None) as socket:
        socket.send('{"type":"subscribe","topic":"shell"}')
        project.start(SHELL)
        end = time.monotonic() + WAIT_SECONDS
        state: dict[str, Any] = {"inbox": []}
        while not state["inbox"]:
            assert time.monotonic() < end
            state = json.loads(socket.recv(timeout=WAIT_SECONDS))
        assert state["inbox"][0]["kind"] == "needs_you"
        assert state["workspaces"][0]["state"] == "needs_you"
