"""A forked daemon is the one that would have been started anew, only sooner."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.fakes.fork_servers import RunningForkServer, fork_server
from tests.fakes.small_daemon import COMMAND

from lararium_daemon.client import start as client_start
from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import find_daemon
from lararium_daemon.client.guardian import reap_guardians
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.exit_codes import CODE_CHANGED
from lararium_daemon.system.locks import is_locked, try_lock
from lararium_daemon.system.paths import Paths, WorkspacePaths, ensure_private_dir, resolve_paths
from lararium_daemon.system.process_table import is_alive, start_time

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")

Start = Callable[..., StartedDaemon]


@pytest.fixture
def folders(lararium_home: Path) -> Paths:
    return resolve_paths({"LARARIUM_HOME": str(lararium_home)})


@pytest.fixture
def server(folders: Paths) -> Iterator[RunningForkServer]:
    with fork_server(folders.hub, COMMAND) as server:
        yield server


@pytest.fixture
def start(workspace: Path, folders: Paths) -> Iterator[Start]:
    used: set[Path] = {workspace}

    def start(folder: Path = workspace, **variables: str) -> StartedDaemon:
        used.add(folder)
        return start_daemon(
            folder, os.environ | variables, command=COMMAND, fork_folder=folders.hub
        )

    yield start
    for folder in used:
        stop_daemon(folders.workspace(folder))
    # A guardian lets the lock go a moment before it ends; nobody else would reap our children.
    ours = [child for child in psutil.Process().children() if child.name() == "lar-guardian"]
    psutil.wait_procs(ours, timeout=5)
    reap_guardians()


def report_of(paths: WorkspacePaths) -> dict[str, Any]:
    return json.loads((paths.state_dir / "report.json").read_text(encoding="utf-8"))


def eventually(claim: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_a_daemon_is_forked_where_a_server_offers_it(
    server: RunningForkServer, start: Start, paths: WorkspacePaths
) -> None:
    first = start()
    assert server.made(first.pid)
    assert not first.already_running
    assert find_daemon(paths) == first.handle
    assert start().already_running
    stop_daemon(paths)
    assert not is_locked(paths.owner_lock)
    assert eventually(lambda: not psutil.Process(server.process.pid).children())


def test_without_a_server_a_daemon_is_started_anew(start: Start, folders: Paths) -> None:
    with fork_server(folders.hub, COMMAND) as gone:
        gone.process.kill()
        gone.process.wait(5)
        assert gone.socket.exists()
        assert not start().already_running


def test_a_forked_daemon_finds_around_it_what_a_started_one_finds(
    server: RunningForkServer,
    start: Start,
    folders: Paths,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("IN_THE_SERVER", "no")  # the server began without it
    monkeypatch.setenv("ODD_BYTES", "a\udcffb")
    reports: list[dict[str, Any]] = []
    before = os.umask(0o037)
    try:
        for folder, variables in (
            (workspace, {"TZ": "Pacific/Apia"}),
            (tmp_path / "other", {"TZ": "Pacific/Apia", "PYTHONHASHSEED": "1"}),
        ):
            folder.mkdir(exist_ok=True)
            daemon = start(folder, SMALL_DAEMON="report", **variables)
            reports.append(report_of(folders.workspace(folder)))
            assert server.made(daemon.pid) == ("PYTHONHASHSEED" not in variables)
    finally:
        os.umask(before)
    forked, started = reports
    assert started["environment"].pop("PYTHONHASHSEED") == "1"
    assert Path(forked.pop("folder")).parent == Path(started.pop("folder")).parent
    assert forked.pop("dice") != started.pop("dice")
    assert forked == started
    assert forked["umask"] == 0o037
    assert forked["zone"] == "+13"
    assert forked["environment"]["ODD_BYTES"] == "a\udcffb"


def test_two_forked_daemons_throw_different_dice(
    server: RunningForkServer, start: Start, folders: Paths, workspace: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    pair = [start(folder, SMALL_DAEMON="report") for folder in (workspace, other)]
    assert all(server.made(daemon.pid) for daemon in pair)
    one, two = (report_of(folders.workspace(folder))["dice"] for folder in (workspace, other))
    assert one != two
    assert pair[0].token != pair[1].token


def test_forked_daemons_outlive_their_server_however_it_ends(
    start: Start, folders: Paths, workspace: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with fork_server(folders.hub, COMMAND) as server:
        killed = start()
        server.process.kill()
        server.process.wait(5)
    with fork_server(folders.hub, COMMAND) as server:
        ended = start(other)
        assert server.made(ended.pid)
    assert server.process.returncode == 0
    assert not server.socket.exists()
    for daemon in (killed, ended):
        assert daemon.client().request("GET", "/api/health")["guid"] == daemon.guid
        assert daemon.handle.is_alive()
    for folder in (workspace, other):  # their guardians stand on their own
        stop_daemon(folders.workspace(folder))
        assert not is_locked(folders.workspace(folder).owner_lock)


def test_a_server_has_no_zombies(server: RunningForkServer, start: Start, folders: Paths) -> None:
    for _ in range(3):
        daemon = start()
        guardian = psutil.Process(daemon.pid).ppid()
        began = start_time(guardian)
        assert began is not None
        os.kill(daemon.pid, signal.SIGKILL)
        assert eventually(lambda g=guardian, b=began: not is_alive(g, b))
        assert server.zombies() == []


def test_a_server_whose_code_is_outdated_declines_and_asks_to_be_started_again(
    start: Start, folders: Paths
) -> None:
    with fork_server(folders.hub, COMMAND, SMALL_DAEMON="outdated") as server:
        daemon = start()
        assert server.process.wait(5) == CODE_CHANGED
    assert not server.socket.exists()
    assert psutil.Process(psutil.Process(daemon.pid).ppid()).ppid() == os.getpid()


@pytest.mark.parametrize(
    ("manner", "code", "words"),
    [
        ("crash", "daemon_failed", "RuntimeError: a bug in the daemon"),
        ("silent", "daemon_failed", "exit code 7"),
        ("refuse", "database_newer", "The journal is of a newer version."),
    ],
)
def test_a_forked_daemon_that_does_not_start_says_why_and_leaves_nothing(
    server: RunningForkServer,
    start: Start,
    paths: WorkspacePaths,
    manner: str,
    code: str,
    words: str,
) -> None:
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON=manner)
    assert problem.value.code == code
    assert words in problem.value.detail
    assert not is_locked(paths.owner_lock)
    assert not psutil.Process(server.process.pid).children()


def test_a_forked_start_that_takes_too_long_is_ended_before_another_is_tried(
    server: RunningForkServer, start: Start, paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_start, "READY_SECONDS", 0.5)
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON="slow")
    assert problem.value.code == "start_timed_out"
    assert not is_locked(paths.owner_lock)
    assert not psutil.Process(server.process.pid).children()


def test_a_daemon_that_says_it_is_ready_and_does_not_answer_is_ended(
    server: RunningForkServer, start: Start, paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lararium_daemon.client.find.HEALTH_SECONDS", 0.3)
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON="mute")
    assert problem.value.code == "daemon_failed"
    assert not is_locked(paths.owner_lock)


def test_a_folder_that_is_guarded_already_is_not_guarded_twice(
    server: RunningForkServer, start: Start, paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_start, "ATTACH_SECONDS", 0.3)
    ensure_private_dir(paths.state_dir)
    held = try_lock(paths.owner_lock) or pytest.fail("not locked")
    with held, pytest.raises(ClientError) as problem:
        start()
    assert problem.value.code == "lock_held"


STARTER = """
import os, pathlib, sys
from lararium_daemon.client.start import start_daemon
from tests.fakes.small_daemon import COMMAND
start_daemon(pathlib.Path(sys.argv[1]), os.environ, command=COMMAND,
             fork_folder=pathlib.Path(sys.argv[2]))
"""


def test_a_killed_starter_leaves_no_forked_daemon(
    server: RunningForkServer, workspace: Path, paths: WorkspacePaths
) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(workspace), str(server.folder)],
        env=os.environ | {"SMALL_DAEMON": "slow"},
    )
    forked = psutil.Process(server.process.pid)
    assert eventually(lambda: len(forked.children(recursive=True)) == 2)
    starter.kill()
    starter.wait(5)
    assert eventually(lambda: not forked.children(recursive=True))
    assert not is_locked(paths.owner_lock)


def test_many_at_once_end_with_one_daemon(
    server: RunningForkServer, start: Start, folders: Paths
) -> None:
    started: list[StartedDaemon] = []
    threads = [threading.Thread(target=lambda: started.append(start())) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(started) == 12
    assert len({daemon.guid for daemon in started}) == 1
    assert [daemon.already_running for daemon in started].count(False) == 1
    assert server.made(started[0].pid)


def test_a_socket_that_others_could_have_put_there_is_not_asked(
    server: RunningForkServer, start: Start
) -> None:
    server.folder.chmod(0o750)
    assert not server.made(start().pid)
    server.folder.chmod(0o700)


def test_a_server_that_never_answers_costs_a_bounded_time(
    folders: Paths, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lararium_daemon.client.forked_guardian.FORK_SECONDS", 0.2)
    ensure_private_dir(folders.hub)
    with socket.socket(socket.AF_UNIX) as listener, _Entered(folders.hub):
        listener.bind("fork.sock")
        listener.listen()
        assert not start().already_running


class _Entered:
    """The path of a socket may be 107 bytes long, and a test's folder is longer."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> None:
        self._before = Path.cwd()
        os.chdir(self._folder)

    def __exit__(self, *_: object) -> None:
        os.chdir(self._before)
