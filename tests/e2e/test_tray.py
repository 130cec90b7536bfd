"""The tray of a real hub: its menu answers what waits, shows a project, ends the app."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.llm_server import FakeLlm
from tests.fakes.tray_host import TrayHost
from tests.fakes.tray_menu import outline

from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

pytest.importorskip("gi", reason="PyGObject is not installed")
pytestmark = [
    pytest.mark.window,
    pytest.mark.e2e,
    pytest.mark.timeout(180),
    pytest.mark.skipif(bool(missing_programs()), reason=f"no {', '.join(missing_programs())}"),
]

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")
PROMPT = "make it [[fake rounds=1 tool=write path=hello.txt]]"


@dataclass
class Shell:
    """A hub in the background, a panel, and what a test wants of them."""

    rig: Rig
    host: TrayHost
    code: Path

    def project(self, name: str) -> str:
        """Add a project; give its id."""
        folder = self.code / name
        folder.mkdir(parents=True)
        added = self.hub().request("POST", "/workspaces", {"path": str(folder)})
        return str(added["id"])

    def hub(self) -> HubLink:
        return wait_for("hub", self.find_hub)

    def find_hub(self) -> HubLink | None:
        return find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))

    def daemon(self, name: str) -> DaemonHandle | None:
        return find_daemon(resolve_paths(read_environment()).workspace(self.code / name))

    def prompt(self, workspace: str, name: str, text: str) -> tuple[DaemonHandle, str]:
        """Wake the daemon and give it a prompt in a new session."""
        self.hub().request("POST", f"/workspaces/{workspace}/open", seconds=60)
        daemon = wait_for("daemon", lambda: self.daemon(name))
        session = str(daemon.client().request("POST", "/api/sessions", {})["id"])
        body = {"client_message_id": "m1", "text": text}
        daemon.client().request("POST", f"/api/sessions/{session}/messages", body)
        return daemon, session


@pytest.fixture
def shell(tmp_path: Path, lararium_home: Path) -> Iterator[Shell]:
    with (
        FakeLlm() as llm,
        desktop(tmp_path / "rig", tmp_path / "shots", variables=llm.environment) as rig,
        TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as host,
    ):
        rig.run(*LARARIUM, "open", "--print", timeout=60)
        try:
            yield Shell(rig, host, lararium_home.parent / "code")
        finally:
            rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)


def sessions(daemon: DaemonHandle) -> list[dict[str, Any]]:
    return daemon.client().request("GET", "/api/sessions")["items"]


def test_what_a_project_asks_is_denied_from_the_menu_and_leaves_it(shell: Shell):
    atlas = shell.project("atlas_api")
    shell.host.wait_line("Quit Lararium")
    daemon, session = shell.prompt(atlas, "atlas_api", PROMPT)

    shell.host.wait_line("atlas_api: change a file", "Deny")
    shell.host.wait_line("atlas_api · 1 run, 1 needs you")
    assert shell.host.property("Title") == "Lararium: 1 running, 1 needs you"
    assert Path(shell.host.property("IconName")).name.startswith("needs_you-1")

    shell.host.click("atlas_api: change a file", "Deny")
    wait_for("end of the run", lambda: sessions(daemon)[0]["activity"] == "idle")
    assert sessions(daemon)[0]["id"] == session
    assert not (shell.code / "atlas_api" / "hello.txt").exists()
    shell.host.wait("quiet menu", lambda: "change a file" not in str(shell.host.menu()))


def test_a_file_of_the_project_is_allowed_once_from_the_menu(shell: Shell):
    atlas = shell.project("atlas")
    daemon, _ = shell.prompt(atlas, "atlas", PROMPT)
    shell.host.click("atlas: change a file", "Allow once")
    wait_for("changed file", (shell.code / "atlas" / "hello.txt").exists)
    wait_for("end of the run", lambda: sessions(daemon)[0]["activity"] == "idle")
    shell.host.wait_line("atlas · finished")


def test_a_new_session_is_begun_from_the_menu(shell: Shell):
    shell.project("atlas")
    shell.host.click("New session in", "atlas")
    daemon = wait_for("daemon of the project", lambda: shell.daemon("atlas"), 60)
    wait_for("new session", lambda: sessions(daemon))
    shell.rig.wait_window("Lararium", 60)


def test_quit_lists_what_runs_and_leaves_or_stops_it(shell: Shell):
    atlas = shell.project("atlas")
    daemon, _ = shell.prompt(atlas, "atlas", PROMPT)
    shell.host.wait_line("Quit…", "atlas · 1 run, 1 needs you")
    quitting = shell.host.wait_line("Quit…")
    assert outline(quitting.lines) == [
        "[atlas · 1 run, 1 needs you]",
        "-",
        "Quit, leave daemons running",
        "Quit and stop 1 run",
    ]
    hub = shell.hub()
    shell.host.click("Quit…", "Quit, leave daemons running")
    wait_for("end of the hub", lambda: not hub.is_alive())
    shell.host.wait("end of the icon", lambda: shell.host.entry() is None)
    assert daemon.is_alive()

    shell.rig.run(*LARARIUM, "open", "--print", timeout=60)
    shell.host.click("Quit…", "Quit and stop 1 run")
    wait_for("end of the daemon", lambda: not daemon.is_alive())
    wait_for("end of the hub", lambda: shell.find_hub() is None)


def test_a_killed_hub_takes_its_tray_with_it_and_the_next_one_has_its_own(shell: Shell):
    shell.host.wait_entry()
    hub = shell.hub()
    shell.rig.run("kill", "-9", str(hub.pid))
    shell.host.wait("end of the icon", lambda: shell.host.entry() is None)
    shell.rig.run(*LARARIUM, "open", "--print", timeout=60)
    shell.host.wait_line("Quit Lararium")


def test_without_a_tray_closing_the_window_leaves_no_hub_that_nobody_sees(
    tmp_path: Path, lararium_home: Path
):
    with desktop(tmp_path / "rig", tmp_path / "shots") as rig:
        app = rig.start("lararium", *LARARIUM)
        rig.wait_window("Lararium", 60)
        files = HubPaths(resolve_paths(read_environment()).state / "hub")
        hub = wait_for("hub", lambda: find_hub(files))
        wait_for("word that there is no tray", files.no_tray_said.exists)
        rig.run("wmctrl", "-c", "Lararium")
        assert app.wait(30) == 0
        wait_for("end of the hub", lambda: not hub.is_alive())
        log = files.log.read_text(encoding="utf-8")
        assert "No tray: This desktop shows no tray icons" in log
        assert "No window, no tray, nothing runs or waits" in log
        again = rig.start("again", *LARARIUM)
        rig.wait_window("Lararium", 60)
        assert wait_for("hub", lambda: find_hub(files)).port == hub.port
        rig.run(*LARARIUM, "quit", timeout=60)
        assert again.wait(30) == 0
