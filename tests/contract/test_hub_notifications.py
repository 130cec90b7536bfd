"""Notifications of a real hub over a real daemon, on a session bus of the test's own."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from tests.fakes.hub_project import Project, open_project
from tests.fakes.llm_server import FakeLlm
from tests.fakes.notification_server import NotificationServer
from tests.fakes.running_hub import RunningHub, running_hub
from tests.fakes.session_bus import missing, session_bus
from websockets.sync.client import connect

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())

WAIT_SECONDS = 20.0
EDIT = "[[fake rounds=1 tool=write path=hello.txt content=hunter2]]"
SHELL = "[[fake rounds=1 tool=shell command='touch hunter2']]"


@pytest.fixture
def server(llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[NotificationServer]:
    monkeypatch.setenv("OPENAI_BASE_URL", llm.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    with TemporaryDirectory() as folder, session_bus(Path(folder)) as address:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        with NotificationServer(address) as server:
            yield server


@pytest.fixture
def hub(server: NotificationServer) -> Iterator[RunningHub]:
    with running_hub() as running:
        yield running


@pytest.fixture
def project(hub: RunningHub, tmp_path: Path) -> Project:
    return open_project(hub, tmp_path / "atlas-api")


def follow(hub: RunningHub, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Follow the shell as a page does until its state is as wanted."""
    headers = {"Authorization": f"Bearer {hub.link.token}"}
    url = f"{hub.link.base_url.replace('http', 'ws')}/api/events"
    end = time.monotonic() + WAIT_SECONDS
    with connect(url, additional_headers=headers, proxy=None) as socket:
        socket.send('{"type":"subscribe","topic":"shell"}')
        while True:
            state: dict[str, Any] = json.loads(socket.recv(timeout=WAIT_SECONDS))
            if found(state):
                return state
            assert time.monotonic() < end, state


def test_a_confined_edit_is_allowed_from_the_notification(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    project.start(EDIT, "Say hello")
    [shown] = server.wait_calls(1)
    assert (shown.title, shown.labels) == ("atlas-api needs you", ["Allow once", "Deny"])
    assert shown.body == "“Say hello” wants to change a file."
    server.press(shown, "Allow once")
    follow(hub, lambda state: [each["kind"] for each in state["inbox"]] == ["finished"])
    assert (project.folder / "hello.txt").read_text("utf-8").strip() == "hunter2"
    assert len(server.calls) == 1


def test_a_command_is_named_by_its_program_and_can_only_be_reviewed_or_denied(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    project.start(SHELL, "Talk")
    [shown] = server.wait_calls(1)
    assert shown.body == "“Talk” wants to run touch. Look before you allow it."
    assert shown.labels == ["Review…", "Deny"]
    server.press(shown, "Deny")
    follow(hub, lambda state: [each["kind"] for each in state["inbox"]] == ["finished"])


def test_a_click_shows_that_very_session(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    project.start(SHELL, "First")
    [first] = server.wait_calls(1)
    second = project.start(SHELL, "Second")
    shown = server.wait_calls(2)[1]
    assert shown.id != first.id
    server.click(shown)
    state = follow(hub, lambda state: state["shown_session"] == second)
    assert (state["shown"], state["shown_count"]) == (project.workspace, 1)
    assert len(state["inbox"]) == 2


def test_what_is_answered_in_the_inbox_leaves_the_screen_and_its_buttons_do_nothing(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    project.start(SHELL)
    [shown] = server.wait_calls(1)
    [item] = hub.link.request("GET", "/inbox")["items"]
    hub.link.request("POST", f"/inbox/{item['id']}/answer", {"action": "deny"})
    server.wait_gone()
    for key in shown.actions:
        server.press_key(shown.id, key)
    state = follow(hub, lambda state: state["inbox"] != [])
    assert (state["shown_count"], state["toast"]) == (0, None)


def test_the_session_in_front_is_not_told_and_the_others_are(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    seen = project.start("hello", "Seen")
    shown = {"workspace_id": project.workspace, "session_id": seen, "visible": True, "page": "p"}
    hub.link.request("PUT", "/shown", shown)
    project.say(seen, SHELL)
    follow(hub, lambda state: [each["kind"] for each in state["inbox"]] == ["needs_you"])
    project.start(EDIT, "Other")
    [only] = server.wait_calls(1)
    assert "Other" in only.body
    hub.link.request("PUT", "/shown", {**shown, "visible": False})
    assert "Seen" in server.wait_calls(2)[1].body


def test_what_a_closed_page_showed_is_told_at_once(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    seen = project.start("hello", "Seen")
    shown = {"workspace_id": project.workspace, "session_id": seen, "visible": True, "page": "p"}
    headers = {"Authorization": f"Bearer {hub.link.token}"}
    url = f"{hub.link.base_url.replace('http', 'ws')}/api/events"
    with connect(url, additional_headers=headers, proxy=None) as page:
        page.send('{"type":"subscribe","topic":"shell","page":"p"}')
        page.recv(timeout=WAIT_SECONDS)
        hub.link.request("PUT", "/shown", shown)
        project.say(seen, SHELL)
        follow(hub, lambda state: [each["kind"] for each in state["inbox"]] == ["needs_you"])
        assert server.calls == []
    [told] = server.wait_calls(1)
    assert "Seen" in told.body


def test_a_hub_that_ends_takes_its_notifications_back_and_the_next_one_tells_nothing_twice(
    server: NotificationServer, tmp_path: Path
) -> None:
    with running_hub() as hub:
        project = open_project(hub, tmp_path / "atlas-api")
        project.start(SHELL, "First")
        server.wait_calls(1)
        assert hub.end() == 0
        server.wait_gone()
        project.start(SHELL, "While away")
        with running_hub() as again:
            told = server.wait_calls(2)
            assert "While away" in told[1].body
            follow(again, lambda state: len(state["inbox"]) == 2)
            assert len(server.calls) == 2


def test_no_text_of_a_notification_holds_what_is_written_or_run(
    hub: RunningHub, project: Project, server: NotificationServer
) -> None:
    project.start(SHELL)
    project.start(EDIT)
    assert "hunter2" not in repr(server.wait_calls(2))
