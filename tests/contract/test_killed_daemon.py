"""A daemon that is killed in the middle of a command: what its next start says and does."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import CALL_MARK, read_environment
from lararium_daemon.system.paths import resolve_paths

SLEEP = "echo once >> ran; sleep 300"


def test_a_killed_daemon_loses_nothing_and_runs_nothing_twice(
    tmp_path: Path, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    places = resolve_paths(read_environment()).workspace(tmp_path)
    try:
        client, pid = _start(tmp_path)
        session = client.request("POST", "/api/sessions", {"mode": "yolo"})["id"]
        message = {
            "client_message_id": "mine-1",
            "text": f"go [[fake rounds=1 tool=shell command='{SLEEP}']]",
        }
        accepted = _post(client, session, message)
        _until(lambda: (tmp_path / "ran").exists())
        call = _calls(client, session)[0]["call_id"]
        assert _marked(call)

        psutil.Process(pid).send_signal(signal.SIGKILL)
        _until(lambda: not psutil.pid_exists(pid) and not _marked(call))
        client, _ = _start(tmp_path)

        [ended] = _calls(client, session)
        assert ended["state"] == "interrupted"
        assert "outcome unknown" in ended["result"]["text"]
        assert (tmp_path / "ran").read_text(encoding="utf-8") == "once\n"
        assert _outcome(client, session) == "interrupted"

        again = _post(client, session, message)
        assert again["message_id"] == accepted["message_id"]
        assert len(llm.requests) == 1

        _post(client, session, {"client_message_id": "mine-2", "text": "go on"})
        _until(lambda: _outcome(client, session) == "completed")
        users = [m for m in _messages(client, session) if m["role"] == "user"]
        assert [m["client_message_id"] for m in users] == ["mine-1", "mine-2"]
    finally:
        stop_daemon(places)


def _start(folder: Path) -> tuple[DaemonClient, int]:
    started = start_daemon(folder, read_environment())
    return started.client(), started.pid


def _post(client: DaemonClient, session: str, message: dict[str, Any]) -> dict[str, Any]:
    return client.request("POST", f"/api/sessions/{session}/messages", message)


def _outcome(client: DaemonClient, session: str) -> str | None:
    return client.request("GET", f"/api/sessions/{session}")["last_outcome"]


def _messages(client: DaemonClient, session: str) -> list[dict[str, Any]]:
    return client.request("GET", f"/api/sessions/{session}/messages")["items"]


def _calls(client: DaemonClient, session: str) -> list[dict[str, Any]]:
    parts = [part for message in _messages(client, session) for part in message["parts"]]
    return [part for part in parts if part["type"] == "tool_call"]


def _marked(call: str) -> list[int]:
    """Give the live processes that carry the call's mark."""
    found: list[int] = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            if process.environ().get(CALL_MARK) == call:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def _until(condition: Callable[[], bool]) -> None:
    """Wait, at most 20 s, until something outside this process is so."""
    deadline = time.monotonic() + 20
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.02)
