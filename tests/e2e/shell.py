"""The app on a rig: what a person does with its window, and what hub and daemons then say."""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from tests.e2e.rig import Rig, missing_programs, wait_for
from websockets.sync.client import connect

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")


def why_no_window() -> str:
    """Say what this machine lacks for a window on a rig, "" when it has all."""
    missing = missing_programs()
    if missing:
        return f"no {', '.join(missing)} on this machine"
    probe = "import gi; gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False)
    return "" if done.returncode == 0 else "GTK and WebKit are not installed for this Python"


def the_hub() -> HubLink | None:
    """Give the hub of this test's home; None while none runs."""
    return find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))


def the_daemon(project: Path) -> DaemonHandle | None:
    """Give the daemon of a project; None while none runs."""
    return find_daemon(resolve_paths(read_environment()).workspace(project))


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


def processes(rig: Rig, part: str) -> list[psutil.Process]:
    """Give the shell's processes of one kind: `_hub`, `_window` or `_tray`."""
    found: list[psutil.Process] = []
    for each in rig.detached():
        with suppress(psutil.Error):  # it may end meanwhile
            if each.cmdline()[-1:] == [part]:
                found.append(each)
    return found


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
        others = [title for title in rig.windows() if title.startswith("Open ")]
        return others[0] if others else None

    rig.keys("Return")
    rig.wait_window(wait_for("folder dialog", dialog))
    rig.keys("ctrl+l")
    rig.wait_still()
    rig.type(str(project))
    rig.wait_still()
    rig.keys("Return")


def sessions(daemon: DaemonHandle) -> list[dict[str, Any]]:
    """Give a daemon's sessions, newest first."""
    return daemon.client().request("GET", "/api/sessions")["items"]


def requests(daemon: DaemonHandle) -> list[dict[str, Any]]:
    """Give what waits for approval."""
    return daemon.client().request("GET", "/api/permissions/requests")["items"]


def approve(rig: Rig, daemon: DaemonHandle) -> None:
    """Allow what waits now, with the keys that the card in front shows."""
    [waiting] = wait_for("request for approval", lambda: requests(daemon), 60)

    def is_answered() -> bool:
        return waiting["id"] not in [each["id"] for each in requests(daemon)]

    def try_keys() -> bool:
        # A card takes keys only half a second after it has had the focus.
        rig.keys("ctrl+j")
        rig.wait_still(calm_seconds=0.8)
        if is_answered():
            return True
        rig.keys("y")
        with suppress(AssertionError):  # pressed again at once, it would be meant for the next
            wait_for("answered request", is_answered, 5)
        return is_answered()

    wait_for("answered request", try_keys, 60)
