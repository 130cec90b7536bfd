"""A throw-away shell for a measure: a screen, a session bus, a panel, and the hub with its tray."""

import subprocess
import sys
import tempfile
import uuid
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from tests.bench.workshop import ROOT, environment
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.fork_servers import SOCKET_NAME
from tests.fakes.tray_host import TrayHost

from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")
START_SECONDS = 60.0
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Shell:
    """A hub in the background with its tray and its fork server."""

    hub: HubLink
    variables: Mapping[str, str]
    """The environment of everything in it."""

    def add(self, name: str) -> tuple[str, Path]:
        """Register a new project; give its id and its folder."""
        folder = Path(self.variables["HOME"]) / "code" / name
        folder.mkdir(parents=True)
        added = self.hub.request("POST", "/workspaces", {"path": str(folder)})
        return str(added["id"]), folder

    def open(self, workspace: str, folder: Path) -> DaemonHandle:
        """Start its daemon."""
        self.hub.request("POST", f"/workspaces/{workspace}/open", seconds=START_SECONDS)
        found = find_daemon(resolve_paths(self.variables).workspace(folder))
        if found is None:
            raise RuntimeError("the daemon does not prove itself")
        return found


@contextmanager
def screen(variables: Mapping[str, str] = NO_VARIABLES) -> Generator[Rig]:
    """Give a screen, a window manager and a session bus; raises where programs are missing."""
    if missing := missing_programs():
        raise RuntimeError(f"this machine lacks {', '.join(missing)}")
    with (
        tempfile.TemporaryDirectory(prefix="lararium-rig-") as folder,
        environment() as own,
        desktop(Path(folder) / "rig", Path(folder), variables={**own, **variables}) as rig,
    ):
        yield rig


@contextmanager
def shell(rig: Rig) -> Generator[Shell]:
    """Run a hub there; it has forked nothing yet, and nothing of it is left afterwards."""
    variables = rig.environment
    rig.run(*LARARIUM, "open", "--print", timeout=START_SECONDS)
    try:
        files = HubPaths(resolve_paths(variables).state / "hub")
        hub = wait_for("hub", lambda: find_hub(files))
        wait_for("fork server", (files.folder / SOCKET_NAME).exists)
        yield Shell(hub, variables)
    finally:
        rig.run(*LARARIUM, "quit", "--stop-daemons", timeout=START_SECONDS)


@contextmanager
def shell_in_sight(rig: Rig) -> Generator[tuple[Shell, TrayHost]]:
    """Run a hub whose icon a panel shows."""
    with TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as host, shell(rig) as running:
        host.wait_line("Quit Lararium")
        yield running, host


@contextmanager
def program(rig: Rig, name: str, *arguments: str) -> Generator[subprocess.Popen[bytes]]:
    """Run a script that lies beside this file until the end of the block."""
    script = ROOT / "tests" / "bench" / name
    child = rig.start(f"{script.stem}-{uuid.uuid4().hex}", sys.executable, str(script), *arguments)
    try:
        yield child
    finally:
        child.kill()
        child.wait()
        rig.children.remove(child)
