"""The real daemon, forked: it serves, runs a prompt and ends like one that was started anew."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.fakes.fork_servers import RunningForkServer, fork_server
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.locks import is_locked
from lararium_daemon.system.paths import Paths, resolve_paths

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")


@pytest.fixture
def folders() -> Paths:
    return resolve_paths(read_environment())


@pytest.fixture
def server(folders: Paths) -> Iterator[RunningForkServer]:
    with fork_server(folders.hub) as server:
        yield server


@pytest.fixture
def daemon(
    server: RunningForkServer,
    folders: Paths,
    llm: FakeLlm,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[StartedDaemon]:
    for name, value in llm.environment.items():  # the server began without them
        monkeypatch.setenv(name, value)
    (tmp_path / "proj").mkdir()
    daemon = start_daemon(tmp_path / "proj", read_environment())
    assert server.made(daemon.pid)
    yield daemon
    stop_daemon(folders.workspace(tmp_path / "proj"))


def test_a_forked_daemon_runs_a_prompt_with_a_tool_and_ends(
    daemon: StartedDaemon, folders: Paths, tmp_path: Path
) -> None:
    client = daemon.client()
    assert client.request("GET", "/api/status")["pid"] == daemon.pid
    session = client.request("POST", "/api/sessions", {"mode": "yolo"})["id"]
    message = {
        "client_message_id": "mine",
        "text": "go [[fake rounds=1 tool=shell command='echo $PPID > parent; umask > umask']]",
    }
    accepted = client.request("POST", f"/api/sessions/{session}/messages", message)
    path = f"/api/sessions/{session}/events?until={accepted['run_id']}"
    events = [json.loads(line) for line in client.stream_lines(path, idle_seconds=30)]
    assert events[-1]["payload"]["outcome"] == "completed"
    parent = (tmp_path / "proj" / "parent").read_text(encoding="ascii")
    assert int(parent) == daemon.pid
    before = os.umask(0)
    os.umask(before)
    mask = (tmp_path / "proj" / "umask").read_text(encoding="ascii")
    assert int(mask, 8) == before
    stop_daemon(folders.workspace(tmp_path / "proj"))
    assert not is_locked(folders.workspace(tmp_path / "proj").owner_lock)


def test_a_forked_guardian_has_one_thread_and_nothing_of_the_servers_open(
    daemon: StartedDaemon, server: RunningForkServer
) -> None:
    guardian = psutil.Process(daemon.pid).parent()
    assert guardian is not None
    assert guardian.num_threads() == 1
    links = [str(link.readlink()) for link in Path(f"/proc/{guardian.pid}/fd").iterdir()]
    assert not [link for link in links if "socket" in link or "pipe" in link]
    assert guardian.name() == "lar-guardian"
    assert psutil.Process(daemon.pid).name() == "lar-daemon"
    assert psutil.Process(server.process.pid).num_threads() == 1


WARM_THEN_SERVE = """
import os, signal, sys, threading
from pathlib import Path
from lararium_daemon.app import warm_up
serve = warm_up()
threads = threading.active_count()
before = set(sys.modules)
reader, writer = os.pipe()
def stop():
    os.read(reader, 4096)
    print(threads, *sorted(set(sys.modules) - before), flush=True)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=stop).start()
serve(workspace=Path(sys.argv[1]), lock_fd=None, ready_fd=writer, foreground=False)
"""


def test_a_warmed_up_daemon_has_nothing_left_to_import_until_it_is_ready(tmp_path: Path) -> None:
    """What is imported after the fork costs every daemon time and memory of its own."""
    done = subprocess.run(
        [sys.executable, "-c", WARM_THEN_SERVE, str(tmp_path)],
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.split() == [b"1"]


def test_warming_up_loads_what_the_first_prompt_needs_and_nothing_of_a_window() -> None:
    script = "import sys; from lararium_daemon.app import warm_up; warm_up(); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, timeout=60
    )
    names = set(done.stdout.decode().split())
    assert {"openai", "httpcore2", "h11", "truststore", "lararium_daemon.tools.bash"} <= names
    assert not {"gi", "webview", "lararium_desktop"} & names
