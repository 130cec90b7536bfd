"""A real daemon with its guardian, started as everybody starts it and stopped with its test."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psutil

from lararium_daemon.client.guardian import reap_guardians
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import WorkspacePaths, resolve_paths


@dataclass(frozen=True)
class RealDaemon:
    base_url: str
    token: str
    places: WorkspacePaths

    @property
    def port(self) -> int:
        port = urlsplit(self.base_url).port
        assert port is not None
        return port

    def log_messages(self, logger: str) -> list[str]:
        """What this logger has written so far."""
        lines = self.places.log.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        return [each["message"] for each in records if each["logger"] == logger]


@contextmanager
def real_daemon(workspace: Path, **settings: object) -> Generator[RealDaemon]:
    """Serve this folder with these settings; the caller's home is the test's own."""
    environment = read_environment()
    paths = resolve_paths(environment)
    paths.config.mkdir(parents=True, exist_ok=True)
    # What a developer's machine serves must not decide how a test ends.
    given = json.dumps({"discovery": False, **settings})
    (paths.config / "settings.json").write_text(given, encoding="utf-8")
    workspace.mkdir(exist_ok=True)
    places = paths.workspace(workspace)
    guardian: psutil.Process | None = None
    try:
        started = start_daemon(workspace, environment)
        guardian = psutil.Process(started.pid).parent()
        yield RealDaemon(started.base_url, started.token, places)
    finally:
        stop_daemon(places)
        if guardian is not None:
            # It lets the lock go a moment before it ends; nobody else would reap our child.
            psutil.wait_procs([guardian], timeout=5)
            reap_guardians()
