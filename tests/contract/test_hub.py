"""The hub over real HTTP, with a real daemon: API, page, native channel and commands."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.fakes.file_manager import FakeFileManager
from tests.fakes.running_hub import RunningHub, lararium, running_hub
from tests.fakes.session_bus import missing, session_bus
from websockets.sync.client import connect

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths, workspace_id
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub
from lararium_desktop.window.channel import WindowChannel
from lararium_desktop.window.services import Answer


@pytest.fixture
def hub() -> Iterator[RunningHub]:
    with running_hub() as running:
        yield running


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "atlas-api"
    folder.mkdir(parents=True)
    return folder


def add(hub: RunningHub, folder: Path) -> str:
    return str(hub.link.request("POST", "/workspaces", {"path": str(folder)})["id"])


def refused(call: Any, *arguments: Any) -> tuple[int, str]:
    with pytest.raises(ClientError) as caught:
        call(*arguments)
    return caught.value.status, caught.value.code


def exchange(page_url: str) -> DaemonClient:
    """Sign in as a page does, with the ticket from the address's fragment."""
    base_url, _, ticket = page_url.partition("/#t=")
    answer = DaemonClient(base_url, None).request("POST", "/api/auth/exchange", {"ticket": ticket})
    return DaemonClient(base_url, answer["session_key"])


def policy_of(base_url: str) -> str:
    response = httpx.get(f"{base_url}/", trust_env=False, timeout=10)
    return response.headers["Content-Security-Policy"]


def test_a_project_is_added_opened_framed_by_the_hub_alone_and_stopped(
    hub: RunningHub, project: Path
):
    workspace = add(hub, project)
    assert workspace == workspace_id(project)

    opened = hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    assert opened["state"] == "ready"
    assert opened["page_url"].startswith(f"{opened['base_url']}/#t=")
    status = exchange(opened["page_url"]).request("GET", "/api/status")
    assert status["workspace_path"] == str(project)
    assert f"frame-ancestors {hub.link.base_url}" in policy_of(opened["base_url"])
    assert "frame-src http://127.0.0.1:*" in policy_of(hub.link.base_url)
    assert "frame-ancestors 'none'" in policy_of(hub.link.base_url)

    [listed] = hub.link.request("GET", "/workspaces")["items"]
    assert (listed["state"], listed["base_url"]) == ("ready", opened["base_url"])
    hub.link.request("POST", f"/workspaces/{workspace}/stop", seconds=60)
    [listed] = hub.link.request("GET", "/workspaces")["items"]
    assert (listed["state"], listed["pid"]) == ("stopped", None)


def test_a_restarted_daemon_has_another_address_and_lets_the_hub_in_again(
    hub: RunningHub, project: Path
):
    workspace = add(hub, project)
    first = hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    again = hub.link.request("POST", f"/workspaces/{workspace}/restart", seconds=60)
    assert first["page_url"] != again["page_url"]
    assert f"frame-ancestors {hub.link.base_url}" in policy_of(again["base_url"])


def test_bad_folders_are_refused_before_a_daemon_starts(hub: RunningHub, project: Path):
    file = project / "notes.txt"
    file.write_text("x", encoding="utf-8")
    assert refused(add, hub, file) == (422, "not_a_folder")
    assert refused(add, hub, project / "nowhere") == (422, "no_such_folder")
    add(hub, project)
    (project / "inner").mkdir()
    assert refused(add, hub, project / "inner") == (409, "inside_workspace")
    unknown = f"/workspaces/{'0' * 16}/open"
    assert refused(hub.link.request, "POST", unknown) == (404, "unknown_workspace")


def test_a_page_gets_what_it_needs_and_not_the_native_channel(hub: RunningHub):
    page = exchange(hub.page_url)
    assert page.request("GET", "/api/status")["window"] is False
    assert refused(exchange, hub.page_url) == (401, "ticket_invalid")
    ticket = page.request("POST", "/api/auth/tickets", {"purpose": "ws"})["ticket"]
    url = f"ws://127.0.0.1:{hub.link.port}/api/native/channel"
    with pytest.raises(Exception, match="403"):
        connect(url, subprotocols=["lar.v1", f"ticket.{ticket}"], proxy=None, open_timeout=5)  # type: ignore[list-item]


def test_without_a_window_native_requests_say_so(hub: RunningHub):
    for path, body in (
        ("/native/pick-folder", {}),
        ("/native/open-external", {"url": "https://example.org/"}),
        ("/native/reveal", {"workspace_id": "a" * 16}),
    ):
        assert refused(hub.link.request, "POST", path, body) == (501, "no_window")


class RecordingWindow:
    """A window without a screen: it answers at once and keeps what it was asked."""

    def __init__(self) -> None:
        self.loaded: list[str] = []
        self.opened: list[str] = []
        self.origins: list[frozenset[str]] = []
        self.is_loaded = threading.Event()
        self.has_origin = threading.Event()
        self.is_closed = threading.Event()

    def load(self, url: str) -> None:
        self.loaded.append(url)
        self.is_loaded.set()

    def allow_origins(self, origins: frozenset[str]) -> None:
        self.origins.append(origins)
        if origins:
            self.has_origin.set()

    def pick_folder(self, title: str, answer: Answer) -> None:
        answer(f"/picked/{title}", "")

    def open_external(self, url: str, answer: Answer) -> None:
        self.opened.append(url)
        answer(url, "")

    def show(self) -> None: ...

    def reload(self) -> None: ...

    def close(self) -> None:
        self.is_closed.set()


@pytest.fixture
def window(hub: RunningHub) -> Iterator[RecordingWindow]:
    paths = HubPaths(resolve_paths(read_environment()).state / "hub")
    window = RecordingWindow()
    channel = WindowChannel(window, lambda: find_hub(paths))
    channel.start()
    assert window.is_loaded.wait(20)
    yield window
    channel.stop()


def test_the_window_loads_the_page_signed_in_and_answers_what_the_page_asks(
    hub: RunningHub, window: RecordingWindow
):
    page = exchange(window.loaded[0])
    assert page.request("GET", "/api/status")["window"] is True
    picked = page.request("POST", "/api/native/pick-folder", {"title": "Open"})
    assert picked["path"] == "/picked/Open"
    page.request("POST", "/api/native/open-external", {"url": "https://example.org/a?b#c"})
    assert window.opened == ["https://example.org/a?b#c"]


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "vscode://evil/x",
        "javascript:alert(1)",
        "https://user:secret@example.org/",
        "https://",
        "http://example.org/\n",
        "https://example.org/\u202egnp",
        "https:\\\\example.org",
        "",
    ],
)
def test_only_whole_web_and_mail_addresses_leave_the_app(
    hub: RunningHub, window: RecordingWindow, url: str
):
    body = {"url": url}
    assert refused(hub.link.request, "POST", "/native/open-external", body) == (
        422,
        "not_openable",
    )
    assert window.opened == []


def test_a_file_of_a_project_is_shown_on_the_persons_desktop_and_no_other(
    hub: RunningHub, window: RecordingWindow, project: Path
):
    if why := missing():
        pytest.skip(why)
    (project / "a b.txt").touch()
    workspace = add(hub, project)
    with (
        TemporaryDirectory() as folder,
        session_bus(Path(folder)) as address,
        FakeFileManager(address) as files,
    ):
        display = {"DBUS_SESSION_BUS_ADDRESS": address}
        hub.link.request("POST", "/native/show", {"display": display})
        body = {"workspace_id": workspace, "path": "a b.txt"}
        exchange(window.loaded[0]).request("POST", "/api/native/reveal", body)
        for path, status, code in (
            ("../elsewhere", 404, "no_such_path"),
            ("..", 422, "outside_workspace"),
        ):
            wrong = {"workspace_id": workspace, "path": path}
            assert refused(hub.link.request, "POST", "/native/reveal", wrong) == (status, code)
        assert files.shown == [[(project / "a b.txt").resolve().as_uri()]]


def test_the_window_knows_a_daemons_origin_before_its_page_is_opened(
    hub: RunningHub, window: RecordingWindow, project: Path
):
    workspace = add(hub, project)
    opened = hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    assert opened["base_url"] in window.origins[-1]
    hub.link.request("POST", f"/workspaces/{workspace}/stop", seconds=60)
    [listed] = hub.link.request("GET", "/workspaces")["items"]
    assert listed["base_url"] is None


def test_quitting_closes_the_window_first_and_leaves_the_daemon(
    hub: RunningHub, window: RecordingWindow, project: Path
):
    workspace = add(hub, project)
    opened = hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    assert lararium("quit").code == 0
    assert window.is_closed.wait(5)
    assert not hub.link.is_alive()
    assert DaemonClient(opened["base_url"], None).request("GET", "/api/health")["guid"]


def follow(link: HubLink) -> Any:
    headers = {"Authorization": f"Bearer {link.token}"}
    url = f"ws://127.0.0.1:{link.port}/api/events"
    return connect(url, additional_headers=headers, proxy=None, open_timeout=5)


def test_who_follows_the_shell_sees_each_change(hub: RunningHub, project: Path):
    with follow(hub.link) as socket:
        socket.send(json.dumps({"type": "subscribe", "topic": "shell"}))
        assert json.loads(socket.recv(timeout=10))["workspaces"] == []
        workspace = add(hub, project)
        states: list[str] = []
        hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
        while "ready" not in states:
            [listed] = json.loads(socket.recv(timeout=10))["workspaces"] or [{"state": ""}]
            states.append(listed["state"])
    assert "starting" in states


def test_the_next_hub_keeps_the_port_adopts_the_daemon_and_gives_out_other_keys(project: Path):
    with running_hub(str(project)) as first:
        workspace = workspace_id(project)
        opened = first.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
        first_page = exchange(opened["page_url"])
        assert first.end() == 0
        with running_hub() as second:
            assert second.link.port == first.link.port
            assert second.link.guid != first.link.guid
            [listed] = second.link.request("GET", "/workspaces")["items"]
            assert (listed["state"], listed["base_url"]) == ("ready", opened["base_url"])
            assert refused(first.link.request, "GET", "/workspaces") == (401, "credential_invalid")
            assert first_page.request("GET", "/api/status")["workspace_id"] == workspace


def test_a_killed_hub_leaves_the_daemon_and_makes_room_for_the_next(project: Path):
    with running_hub(str(project)) as first:
        opened = first.link.request("POST", f"/workspaces/{workspace_id(project)}/open", seconds=60)
        first.process.kill()
        first.process.wait(10)
        with running_hub() as second:
            deadline = time.monotonic() + 20  # a daemon that is slow to prove itself is asked again
            found = None
            while found is None and time.monotonic() < deadline:
                [listed] = second.link.request("GET", "/workspaces")["items"]
                found = listed["base_url"]
            assert found == opened["base_url"]


def test_enter_prints_a_fresh_address(hub: RunningHub):
    assert hub.process.stdin is not None
    assert hub.process.stdout is not None
    hub.process.stdin.write("\n")
    hub.process.stdin.flush()
    fresh = hub.process.stdout.readline().strip()
    assert fresh != hub.page_url
    assert exchange(fresh).request("GET", "/api/status")["guid"] == hub.link.guid


def test_the_commands_speak_the_contract(hub: RunningHub, project: Path):
    added = json.loads(lararium("add", str(project), "--json").out)
    assert added == {
        "id": workspace_id(project),
        "name": "atlas-api",
        "path": str(project),
    }
    status = json.loads(lararium("status", "--json").out)
    assert status == {
        "hub": {"base_url": hub.link.base_url, "pid": hub.link.pid, "guid": hub.link.guid},
        "workspaces": [
            {
                **added,
                "state": "stopped",
                "location": "local",
                "pid": None,
                "base_url": None,
            }
        ],
    }
    printed = lararium("open", added["id"], "--print")
    assert urlsplit(printed.out.strip()).netloc == f"127.0.0.1:{hub.link.port}"
    assert lararium("remove", added["id"]).code == 0
    assert json.loads(lararium("status", "--json").out)["workspaces"] == []


def test_the_list_can_be_changed_while_no_hub_runs(project: Path):
    added = json.loads(lararium("add", str(project), "--json").out)
    status = lararium("status", "--json")
    assert status.code == 1
    listed = json.loads(status.out)
    assert listed["hub"] is None
    assert [item["id"] for item in listed["workspaces"]] == [added["id"]]
    assert lararium("remove", added["id"]).code == 0
    assert lararium("quit").code == 0


def test_a_folder_that_cannot_be_opened_is_said_before_anything_starts(
    project: Path, lararium_home: Path
):
    file = project / "notes.txt"
    file.write_text("x", encoding="utf-8")
    for bad in (str(file), str(project / "nowhere")):
        done = lararium(bad)
        assert done.code == 1
        assert bad in done.err
    assert not (lararium_home / "state").exists()


def test_neither_token_nor_ticket_is_in_any_command_line_or_log(
    hub: RunningHub, project: Path, lararium_home: Path
):
    workspace = add(hub, project)
    opened = hub.link.request("POST", f"/workspaces/{workspace}/open", seconds=60)
    secrets = [
        hub.link.token,
        hub.page_url.rpartition("=")[2],
        opened["page_url"].rpartition("=")[2],
    ]
    written = [path.read_text("utf-8", "replace") for path in lararium_home.rglob("*.log")]
    commands = [
        path.read_bytes().decode("utf-8", "replace")
        for pid in (hub.link.pid, int(hub.link.request("GET", "/workspaces")["items"][0]["pid"]))
        for path in (Path(f"/proc/{pid}/cmdline"), Path(f"/proc/{pid}/environ"))
    ]
    for secret in secrets:
        assert all(secret not in text for text in (*written, *commands))
    opened_to_others = [path for path in lararium_home.rglob("*") if path.lstat().st_mode & 0o077]
    assert opened_to_others == []
