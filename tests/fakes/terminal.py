"""`lar` as a person types it in a project's folder: a real command, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

SECONDS = 60


def lar(
    folder: Path, *arguments: str, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end; `environment` adds to the test's own."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "lararium_daemon", *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
        check=False,
    )


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """An empty folder; the daemon that a test starts in it ends with the test."""
    folder = tmp_path / "project"
    folder.mkdir()
    yield folder
    stop_daemon(resolve_paths(read_environment()).workspace(folder))
