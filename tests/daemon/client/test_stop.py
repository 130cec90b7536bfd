"""Stopping ends the daemon and all below it, and nobody else."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes.small_daemon import COMMAND, ESCAPES

from lararium_daemon.client import stop as client_stop
from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import StopResult, stop_daemon
from lararium_daemon.system.locks import is_locked, try_lock
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir
from lararium_daemon.system.process_table import (
    boot_id,
    is_alive,
    process_rows,
    select_descendants,
    start_time,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="guardians are Linux's")


def start(workspace: Path, manner: str = "") -> StartedDaemon:
    return start_daemon(workspace, os.environ | {"SMALL_DAEMON": manner}, command=COMMAND)


def eventually(claim: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def guardian_of(paths: WorkspacePaths) -> int:
    return int(json.loads(paths.owner_lock.read_bytes())["pid"])


def test_stopping_what_does_not_run_is_fine(paths: WorkspacePaths) -> None:
    assert stop_daemon(paths) == StopResult(was_running=False)


def test_a_daemon_stops_cleanly(workspace: Path, paths: WorkspacePaths) -> None:
    started = start(workspace)
    guardian = guardian_of(paths)
    assert stop_daemon(paths) == StopResult(was_running=True)
    assert start_time(started.pid) is None
    assert eventually(lambda: start_time(guardian) is None)
    assert not paths.daemon_json.exists()
    assert not paths.token.exists()


def test_what_tools_left_behind_goes_too(workspace: Path, paths: WorkspacePaths) -> None:
    start(workspace, "tools")
    guardian = guardian_of(paths)
    below: set[tuple[int, float]] = set()

    def look() -> bool:
        below.update((r.pid, r.start) for r in select_descendants(process_rows(), {guardian}))
        return len(below) > len(ESCAPES)

    assert eventually(look)
    assert stop_daemon(paths).was_running
    assert not any(is_alive(*identity) for identity in below)


@pytest.mark.parametrize("manner", ["deaf", "deaf,tools"])
def test_a_daemon_that_does_not_obey_is_killed(
    workspace: Path, paths: WorkspacePaths, manner: str
) -> None:
    started = start(workspace, manner)
    result = stop_daemon(paths, timeout_seconds=0.3)
    assert result == StopResult(was_running=True, timed_out=True)
    assert start_time(started.pid) is None
    assert not is_locked(paths.owner_lock)
    assert not paths.daemon_json.exists()


def test_a_stopped_process_is_ended_too(workspace: Path, paths: WorkspacePaths) -> None:
    started = start(workspace)
    os.kill(started.pid, signal.SIGSTOP)
    assert stop_daemon(paths, timeout_seconds=0.3).timed_out
    assert start_time(started.pid) is None


def test_a_daemon_that_is_still_starting_is_stopped(workspace: Path, paths: WorkspacePaths) -> None:
    problems: list[str] = []

    def begin() -> None:
        try:
            start(workspace, "slow")
        except ClientError as error:
            problems.append(error.code)

    starter = threading.Thread(target=begin)
    starter.start()
    assert eventually(lambda: paths.owner_lock.exists() and is_locked(paths.owner_lock))
    assert stop_daemon(paths).was_running
    starter.join(10)
    assert problems == ["daemon_failed"]
    assert not is_locked(paths.owner_lock)


def test_a_process_with_the_number_of_a_dead_daemon_is_not_signalled(
    paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_stop, "KILL_SECONDS", 0.1)
    ensure_private_dir(paths.state_dir)
    other = subprocess.Popen(["sleep", "1000"])
    note = {"pid": other.pid, "create_time": 1.0, "boot_id": boot_id()}
    record = note | {
        "guid": "g", "pid_create_time": 1.0, "host": "127.0.0.1", "port": 1, "app_version": "",
        "api_version": {"major": 1, "minor": 0}, "started_at": "",
    }  # fmt: skip
    paths.daemon_json.write_text(json.dumps(record), encoding="utf-8")
    try:
        with try_lock(paths.owner_lock) or pytest.fail("not locked") as held:
            held.write_note(json.dumps(note).encode())
            with pytest.raises(ClientError) as problem:
                stop_daemon(paths, timeout_seconds=0.1)
        assert problem.value.code == "stop_failed"
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(5)
