"""The app in a real window: a folder is picked, the agent works, and the work stays."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import WorkspacePaths, resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

pytestmark = [pytest.mark.window, pytest.mark.e2e, pytest.mark.timeout(300)]

SHOTS = Path(__file__).parent / "shots"
LARARIUM = (sys.executable, "-m", "lararium_desktop")
PROMPT = "make it [[fake rounds=1 tool=write path=hello.txt]]"


def _why_not() -> str:
    missing = missing_programs()
    if missing:
        return f"no {', '.join(missing)} on this machine"
    probe = "import gi; gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False)
    return "" if done.returncode == 0 else "GTK and WebKit are not installed for this Python"


@pytest.fixture(scope="module", autouse=True)
def screen_is_possible() -> None:
    why_not = _why_not()
    if why_not:
        pytest.skip(why_not)


@pytest.fixture(params=[False, True], ids=["light", "dark"])
def dark(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        yield server


@pytest.fixture
def rig(tmp_path: Path, dark: bool, llm: FakeLlm, lararium_home: Path) -> Iterator[Rig]:
    with desktop(tmp_path / "rig", SHOTS, dark=dark, variables=llm.environment) as rig:
        yield rig


@pytest.fixture
def project(lararium_home: Path) -> Path:
    folder = lararium_home.parent / "code" / "atlas-api"
    folder.mkdir(parents=True)
    (folder / "README.md").write_text("# Atlas\n", encoding="utf-8")
    return folder


def the_hub() -> HubLink | None:
    return find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))


def the_daemon(project: Path) -> DaemonHandle | None:
    paths = resolve_paths(read_environment()).workspace(project)
    return find_daemon(WorkspacePaths(paths.state_dir))


def wait_hub_page(rig: Rig) -> None:
    """Wait until the window shows the hub's page: it follows the hub, and is drawn."""

    def is_followed() -> bool:
        hub = the_hub()
        status = {} if hub is None else hub.request("GET", "/status")
        return bool(status.get("window")) and status["pages"] > 0

    # Twice: a window that opens counts as a page until the very moment it has opened.
    wait_for("open window", is_followed, 60)
    rig.wait_still()
    wait_for("page in the window", is_followed, 60)
    rig.wait_window("Lararium")
    rig.wait_still()


def pick_folder(rig: Rig, project: Path) -> None:
    """Open the native dialog from the page's first button, and type the path."""

    def dialog() -> str | None:
        others = [title for title in rig.windows() if title != "Lararium"]
        return others[0] if others else None

    rig.keys("Return")
    rig.wait_window(wait_for("folder dialog", dialog))
    rig.keys("ctrl+l")
    rig.wait_still()
    rig.type(str(project))
    rig.wait_still()
    rig.keys("Return")


def approve(rig: Rig, daemon: DaemonHandle) -> None:
    """Allow what waits, with the keys that the card shows."""

    def answered() -> bool:
        if not daemon.client().request("GET", "/api/permissions/requests")["items"]:
            return True
        # A card takes keys only half a second after it has had the focus.
        rig.keys("ctrl+j")
        rig.wait_still()
        rig.keys("y")
        return False

    wait_for("answered request", answered, 60, pause=0.5)


def sessions(daemon: DaemonHandle) -> list[dict[str, Any]]:
    return daemon.client().request("GET", "/api/sessions")["items"]


def test_a_folder_is_picked_the_agent_works_and_the_work_outlives_the_window(
    rig: Rig, project: Path, llm: FakeLlm, dark: bool
):
    look = "dark" if dark else "light"
    app = rig.start("lararium", *LARARIUM)

    wait_hub_page(rig)
    rig.shot(f"window-0-first-{look}")
    pick_folder(rig, project)
    daemon = wait_for("daemon of the project", lambda: the_daemon(project), 60)
    # The project's page asks for the models as soon as it has its composer.
    wait_for("page of the project", lambda: llm.app.model_requests > 0, 60)
    rig.wait_window("Lararium")
    rig.wait_still()
    rig.shot(f"window-1-empty-{look}")

    rig.type(PROMPT)
    rig.keys("Return")
    wait_for("request for approval", lambda: _requests(daemon), 60)
    rig.wait_still()
    rig.shot(f"window-2-waiting-{look}")
    assert not (project / "hello.txt").exists()

    approve(rig, daemon)
    wait_for("changed file", (project / "hello.txt").exists)
    [session] = sessions(daemon)
    path = f"/api/sessions/{session['id']}/messages"
    wait_for("finished run", lambda: _last_text(daemon.client().request("GET", path)), 60)
    rig.wait_still()
    rig.shot(f"window-3-finished-{look}")

    rig.run("wmctrl", "-c", "Lararium")
    assert app.wait(30) == 0
    hub = the_hub()
    assert hub is not None
    assert hub.request("GET", "/status")["window"] is False
    assert daemon.is_alive()

    rig.start("again", *LARARIUM)
    wait_hub_page(rig)
    rig.shot(f"window-4-again-{look}")
    status = json.loads(rig.run(*LARARIUM, "status", "--json"))
    assert [item["pid"] for item in status["workspaces"]] == [daemon.pid]

    rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=60)
    wait_for("end of the window", lambda: "Lararium" not in rig.windows())
    assert not hub.is_alive()
    assert not daemon.is_alive()


def _requests(daemon: DaemonHandle) -> list[dict[str, Any]]:
    return daemon.client().request("GET", "/api/permissions/requests")["items"]


def _last_text(page: dict[str, Any]) -> str:
    """Give the text of an answer that came after the tool's result; "" while there is none."""
    last = page["items"][-1]
    if last["role"] != "assistant":
        return ""
    return "".join(part.get("text", "") for part in last["parts"] if part["type"] == "text")
