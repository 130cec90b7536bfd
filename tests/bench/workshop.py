"""A throw-away daemon for a measure: own folders, a scripted model, ended afterwards."""

import json
import os
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.fork_servers import fork_server
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.paths import resolve_paths

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Workshop:
    """A running daemon and how to prompt it."""

    daemon: StartedDaemon
    client: DaemonClient

    def session(self, mode: str = "default") -> str:
        """Begin a session."""
        return str(self.client.request("POST", "/api/sessions", {"mode": mode})["id"])

    def post(self, session_id: str, text: str) -> dict[str, Any]:
        """Send a message; give what the daemon said to it."""
        message = {"client_message_id": uuid.uuid4().hex, "text": text}
        return self.client.request("POST", f"/api/sessions/{session_id}/messages", message)

    def run(self, session_id: str, text: str) -> dict[str, Any]:
        """Send a message and wait for the run's end; give its payload."""
        accepted = self.post(session_id, text)
        path = f"/api/sessions/{session_id}/events?after_seq={accepted['seq'] - 1}"
        for line in self.client.stream_lines(path, idle_seconds=120):
            event = json.loads(line)
            if event["type"] == "run.ended":
                return event["payload"]
        raise RuntimeError("the stream ended before the run")


@dataclass(frozen=True)
class LlmProcess:
    """A scripted model server in a process of its own: it shares no interpreter with a reader."""

    base_url: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables that point a daemon there."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": "sk-fake"}


@contextmanager
def llm_process() -> Generator[LlmProcess]:
    """Run the server until the end of the block."""
    command = [sys.executable, "-m", "tests.fakes.llm_server"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        assert process.stdout is not None
        yield LlmProcess(process.stdout.readline().strip())
    finally:
        process.kill()
        process.communicate()


@contextmanager
def environment(llm: FakeLlm | LlmProcess | None = None) -> Generator[dict[str, str]]:
    """Give an environment with a home of its own."""
    with tempfile.TemporaryDirectory(prefix="lararium-bench-") as home:
        settings = Path(home) / "lararium" / "config" / "settings.json"
        settings.parent.mkdir(parents=True, mode=0o700)
        # Which model servers this machine happens to run must not decide what a daemon costs.
        settings.write_text('{"discovery": false}', encoding="utf-8")
        yield {
            **os.environ,
            "HOME": home,
            "LARARIUM_HOME": f"{home}/lararium",
            **(llm.environment if llm else {}),
        }


@contextmanager
def workshop(llm: FakeLlm | LlmProcess | None = None) -> Generator[Workshop]:
    """Start a daemon, and stop it at the end."""
    with environment(llm) as variables, project(variables) as shop:
        yield shop


@contextmanager
def project(variables: dict[str, str], name: str = "project") -> Generator[Workshop]:
    """Start the daemon of a folder in this home, and stop it at the end."""
    folder = Path(variables["HOME"]) / name
    folder.mkdir(exist_ok=True)
    daemon = start_daemon(folder, variables)
    try:
        yield Workshop(daemon, daemon.client())
    finally:
        stop_daemon(resolve_paths(variables).workspace(folder))


@contextmanager
def warm_home(
    llm: FakeLlm | LlmProcess | None = None,
) -> Generator[tuple[dict[str, str], int]]:
    """Run a fork server; give an environment whose projects use it, and the server's pid."""
    with environment(llm) as variables, fork_server(resolve_paths(variables).hub) as server:
        yield variables, server.process.pid
