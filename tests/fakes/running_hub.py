"""A real hub in a process of its own, ended with everything it started."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.system.hub_files import HubPaths
from lararium_desktop.system.hub_link import HubLink, find_hub

LARARIUM = (sys.executable, "-P", "-m", "lararium_desktop")
START_SECONDS = 30
END_SECONDS = 30


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    code: int
    out: str
    err: str


def lararium(*arguments: str, variables: Mapping[str, str] | None = None) -> Done:
    """Run one command to its end."""
    done = subprocess.run(
        [*LARARIUM, *arguments],
        env={**_without_screen(), **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@dataclass(frozen=True)
class RunningHub:
    """A hub that runs in the foreground, as `lararium --no-window` does."""

    process: subprocess.Popen[str]
    page_url: str
    """The address it printed."""
    link: HubLink

    def end(self) -> int:
        """Press Ctrl-C and wait."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(END_SECONDS)


@contextmanager
def running_hub(*arguments: str) -> Generator[RunningHub]:
    """Give a hub on the test's own folders; afterwards neither hub nor daemon is left."""
    process = subprocess.Popen(
        [*LARARIUM, "--no-window", *arguments],
        env=_without_screen(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        page_url = _first_line(process)
        link = find_hub(HubPaths(resolve_paths(read_environment()).state / "hub"))
        if link is None:
            raise AssertionError("the hub printed its address and does not prove itself")
        yield RunningHub(process, page_url, link)
    finally:
        lararium("quit", "--stop-daemons")
        process.kill()
        process.communicate(timeout=END_SECONDS)


def _first_line(process: subprocess.Popen[str]) -> str:
    lines: list[str] = []

    def read() -> None:
        if process.stdout is not None:
            lines.append(process.stdout.readline().strip())

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(START_SECONDS)
    if not lines or not lines[0]:
        process.kill()
        raise AssertionError(f"the hub did not start: {process.communicate()[1]}")
    return lines[0]


def _without_screen() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name not in {"DISPLAY", "WAYLAND_DISPLAY"}
    }
