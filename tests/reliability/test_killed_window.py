"""A killed window ends nothing: hub, daemon, runs and their process trees go on."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.e2e.rig import Rig, desktop, missing_programs, wait_for
from tests.fakes.figures import say_figure
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_server import llm as llm
from tests.fakes.process_trees import Grove
from tests.fakes.tree_calls import CALLS_AT_ONCE, tree_daemon
from tests.reliability.scale import scaled

from lararium_daemon.client.find import DaemonHandle, find_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

pytestmark = [pytest.mark.window, pytest.mark.e2e, pytest.mark.timeout(600)]

TREES = scaled(12, 200)


@pytest.fixture
def rig(tmp_path: Path, llm: FakeLlm) -> Iterator[Rig]:
    missing = missing_programs()
    if missing:
        pytest.skip(f"no {', '.join(missing)} on this machine")
    probe = "import gi; gi.require_version('WebKit2', '4.1'); from gi.repository import WebKit2"
    if subprocess.run([sys.executable, "-c", probe], capture_output=True, check=False).returncode:
        pytest.skip("GTK and WebKit are not installed for this Python")
    with desktop(tmp_path / "rig", tmp_path, variables=llm.environment) as rig:
        yield rig


def the_hub() -> HubLink | None:
    return find_hub(HubPaths(resolve_paths(read_environment()).hub))


def the_daemon(project: Path) -> DaemonHandle | None:
    return find_daemon(resolve_paths(read_environment()).workspace(project))


def the_window() -> psutil.Process | None:
    hub = the_hub()
    below = psutil.Process(hub.pid).children() if hub is not None else []
    found = [each for each in below if "_window" in each.cmdline()]
    return found[0] if found else None


def test_the_end_of_the_window_ends_nothing_and_the_runs_end_as_they_would(
    rig: Rig, tmp_path: Path
) -> None:
    project = tmp_path / "proj"
    project.mkdir()
    rig.start("lararium", sys.executable, "-m", "lararium_desktop", str(project))
    wait_for("window", lambda: "Lararium" in rig.windows(), 60)
    wait_for("daemon", lambda: the_daemon(project), 60)
    window = wait_for("window process", the_window)
    hub = wait_for("hub", the_hub)
    with tree_daemon(project) as daemon:
        grove = Grove(project, 1)
        runs = daemon.wave(grove, TREES // CALLS_AT_ONCE, hold="go")
        lasting = grove.alive("sleep 300.")
        window.kill()
        psutil.wait_procs([window], timeout=10)
        (project / "go").touch()
        ends = [daemon.end(run) for run in runs]
        assert {end["outcome"] for end in ends} == {"completed"}
        assert set(lasting) <= set(grove.alive())
        assert hub.is_alive()
    assert grove.wait_gone(time.monotonic() + 5) == {}
    say_figure(f"window SIGKILL: {TREES} trees alive, {CALLS_AT_ONCE} of their runs completed")
