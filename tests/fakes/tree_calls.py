"""A real daemon whose tool calls grow process trees, wave after wave."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.process_trees import Grove

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import WorkspacePaths, resolve_paths

CALLS_AT_ONCE = 4
"""As many as a daemon runs at once."""
Run = tuple[str, str]
"""A session and a run of it."""


@dataclass
class TreeDaemon:
    folder: Path
    places: WorkspacePaths
    pid: int
    client: DaemonClient

    def wave(
        self,
        grove: Grove,
        trees_a_call: int,
        *,
        timeout_seconds: float = 600,
        hold: str | None = None,
    ) -> list[Run]:
        """Begin as many runs as may run, each with its trees, and see them grown."""
        runs = [
            self._call(grove.plant(trees_a_call, hold=hold), timeout_seconds)
            for _ in range(CALLS_AT_ONCE)
        ]
        grove.wait_up()
        return runs

    def interrupt(self, run: Run) -> None:
        self.client.request("POST", f"/api/sessions/{run[0]}/interrupt", {})

    def end(self, run: Run) -> dict[str, Any]:
        """Wait for the run's end; give it, with the result of its call."""
        path = f"/api/sessions/{run[0]}/events?until={run[1]}"
        lines = [json.loads(line) for line in self.client.stream_lines(path, idle_seconds=60)]
        [ended] = [line["payload"] for line in lines if line["type"] == "tool.ended"]
        return {**lines[-1]["payload"], "result": ended["result"]}

    def _call(self, command: str, timeout_seconds: float) -> Run:
        session = self.client.request("POST", "/api/sessions", {"mode": "yolo"})["id"]
        arguments = json.dumps({"command": command, "timeout": timeout_seconds})
        text = f"go [[fake rounds=1 tool=bash args='{arguments}']]"
        message = {"client_message_id": session, "text": text}
        accepted = self.client.request("POST", f"/api/sessions/{session}/messages", message)
        return session, accepted["run_id"]


@contextmanager
def tree_daemon(folder: Path) -> Generator[TreeDaemon]:
    """Start or find the folder's daemon; stop it afterwards."""
    folder.mkdir(exist_ok=True)
    environment = read_environment()
    places = resolve_paths(environment).workspace(folder)
    started = start_daemon(folder, environment)
    try:
        yield TreeDaemon(folder, places, started.pid, started.client())
    finally:
        stop_daemon(places)
