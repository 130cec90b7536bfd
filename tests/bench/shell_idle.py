"""P12 and P13: what hub and tray take while nothing happens."""

import time

import psutil
from tests.bench.figures import Figure, tree_pss_megabytes
from tests.bench.idle_memory import SETTLE_SECONDS, WATCH_SECONDS, ran_seconds
from tests.bench.shell import program, screen, shell_in_sight
from tests.bench.start import hello_world
from tests.e2e.rig import Rig
from tests.fakes.tray_host import TrayHost

AWAKE = 2
ALLOWED_MEGABYTES = 25.0
"""Over a bare tray and a bare server."""


def shell_idle() -> list[Figure]:
    """Measure a hub with its tray while two projects are awake, a minute long."""
    with screen() as rig:
        _bare_tray(rig)  # the first GTK program of a screen pays for what the others find
        with shell_in_sight(rig) as (shell, _):
            for number in range(AWAKE):
                shell.open(*shell.add(f"project-{number}"))
            hub = psutil.Process(shell.hub.pid)
            tray = _child(hub, "_tray")
            time.sleep(SETTLE_SECONDS)
            ran = _ran_in_a_minute([hub, tray])
            ours = _own_pss(hub) + tree_pss_megabytes(tray.pid)
        floor = _bare_tray(rig)
    with hello_world() as pid:
        time.sleep(SETTLE_SECONDS)
        floor += tree_pss_megabytes(pid) + ALLOWED_MEGABYTES
    what = f"hub and tray, {AWAKE} projects awake, share of a core over {WATCH_SECONDS:.0f} s"
    memory = f"hub and tray, PSS / bare tray + bare FastAPI + {ALLOWED_MEGABYTES:.0f} MB"
    return [
        Figure("P12", what, 100 * ran / WATCH_SECONDS, None, "%", 0.25),
        Figure("P13", memory, ours, floor, "MB", 1),
    ]


def _ran_in_a_minute(processes: list[psutil.Process]) -> float:
    before = sum(ran_seconds(process.pid) for process in processes)
    time.sleep(WATCH_SECONDS)
    return sum(ran_seconds(process.pid) for process in processes) - before


def _own_pss(process: psutil.Process) -> float:
    """Give the memory of the process alone; its fork server has a row of its own."""
    return process.memory_full_info().pss / 1e6


def _child(hub: psutil.Process, word: str) -> psutil.Process:
    [found] = [child for child in hub.children() if word in child.cmdline()]
    return found


def _bare_tray(rig: Rig) -> float:
    with (
        TrayHost(rig.environment["DBUS_SESSION_BUS_ADDRESS"]) as host,
        program(rig, "bare_tray.py") as tray,
    ):
        host.wait_line("Quit")
        time.sleep(SETTLE_SECONDS)
        return tree_pss_megabytes(tray.pid)
