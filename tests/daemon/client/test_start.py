"""Every start of a folder's daemon ends with the same one, or with a sentence that says why not."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.fakes.small_daemon import COMMAND, SmallDaemon

from lararium_daemon.client import start as client_start
from lararium_daemon.client.command import own_command
from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import find_daemon
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.locks import is_locked, try_lock
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir, resolve_paths
from lararium_daemon.system.process_table import (
    boot_id,
    is_alive,
    process_rows,
    select_descendants,
    start_time,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="guardians are Linux's")

Start = Callable[..., StartedDaemon]


@pytest.fixture
def start(workspace: Path, paths: WorkspacePaths) -> Iterator[Start]:
    def start(folder: Path = workspace, **variables: str) -> StartedDaemon:
        return start_daemon(folder, {**os.environ, **variables}, command=COMMAND)

    yield start
    stop_daemon(paths)


def test_a_daemon_is_started_and_the_next_caller_finds_it(
    start: Start, paths: WorkspacePaths
) -> None:
    first = start()
    second = start()
    assert (first.already_running, second.already_running) == (False, True)
    assert (first.pid, first.guid, first.token) == (second.pid, second.guid, second.token)
    assert first.to_json() == {
        "workspace_id": paths.workspace_id,
        "base_url": first.base_url,
        "pid": first.pid,
        "guid": first.guid,
        "token_file": str(paths.token),
        "already_running": False,
    }
    assert first.token not in repr(first)
    assert first.client().request("GET", "/api/health")["guid"] == first.guid


def test_every_spelling_of_the_folder_finds_the_same_daemon(
    start: Start, workspace: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    spellings = [workspace, link, Path(f"{workspace}/../proj")]
    assert len({start(folder).guid for folder in spellings}) == 1


def test_a_relative_home_means_the_same_folder_to_client_and_daemon(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workspace: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    started = start(LARARIUM_HOME="own")
    assert started.token_file.is_relative_to(tmp_path / "own")
    stop_daemon(resolve_paths({"LARARIUM_HOME": "own"}).workspace(workspace))


def test_modules_in_the_project_are_not_lent_to_the_daemon(
    start: Start, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "json.py").write_text("raise SystemExit('owned')", encoding="utf-8")
    monkeypatch.chdir(workspace)
    assert not start().already_running
    assert "-P" in own_command("_guardian")


def test_the_command_line_of_the_daemon_holds_no_secret(start: Start) -> None:
    started = start(OPENAI_API_KEY="sk-test-1")
    for row in process_rows():
        line = _command_line(row.pid)
        assert started.token.encode() not in line
        assert b"sk-test-1" not in line


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_record_of_somebody_else_is_taken_over_and_he_is_left_alone(
    start: Start, paths: WorkspacePaths
) -> None:
    ensure_private_dir(paths.state_dir)
    other = subprocess.Popen(["sleep", "1000"])
    try:
        record = {
            "guid": "g", "pid": other.pid, "pid_create_time": 1.0, "boot_id": boot_id(),
            "host": "127.0.0.1", "port": 1, "api_version": {"major": 1, "minor": 0},
            "app_version": "0", "started_at": "",
        }  # fmt: skip
        paths.daemon_json.write_text(json.dumps(record), encoding="utf-8")
        started = start()
        assert not started.already_running
        assert json.loads(paths.daemon_json.read_bytes())["pid"] == started.pid
        assert other.poll() is None
    finally:
        other.kill()
        other.wait(5)


@pytest.mark.parametrize("content", [b"", b"0\n", b'{"pid":'])
def test_a_damaged_record_or_note_blocks_no_start(
    start: Start, paths: WorkspacePaths, content: bytes
) -> None:
    ensure_private_dir(paths.state_dir)
    paths.daemon_json.write_bytes(content)
    paths.owner_lock.write_bytes(content)
    started = start()
    assert json.loads(paths.daemon_json.read_bytes())["guid"] == started.guid


def test_a_foreign_server_at_the_recorded_port_is_neither_used_nor_ended(
    start: Start, paths: WorkspacePaths
) -> None:
    ensure_private_dir(paths.state_dir)
    foreign = SmallDaemon("g", "another-token", 1)
    thread = threading.Thread(target=lambda: foreign.serve_forever(poll_interval=0.02))
    thread.start()
    try:
        record = {
            "guid": "g", "pid": os.getpid(), "pid_create_time": start_time(os.getpid()),
            "boot_id": boot_id(), "host": "127.0.0.1", "port": foreign.port,
            "api_version": {"major": 1, "minor": 0}, "app_version": "0", "started_at": "",
        }  # fmt: skip
        paths.daemon_json.write_text(json.dumps(record), encoding="utf-8")
        paths.token.write_text("the-real-token", encoding="ascii")
        started = start()
        assert not started.already_running
        assert not started.base_url.endswith(f":{foreign.port}")
        assert foreign.headers_seen
        assert "the-real-token" not in "".join(foreign.headers_seen)
    finally:
        foreign.shutdown()
        foreign.server_close()
        thread.join(5)


def test_a_crashed_daemon_is_replaced(start: Start, paths: WorkspacePaths) -> None:
    first = start()
    os.kill(first.pid, 9)
    second = start()
    assert not second.already_running
    assert second.guid != first.guid
    assert find_daemon(paths) == second.handle


@pytest.mark.parametrize(
    ("manner", "code", "words"),
    [
        ("crash", "daemon_failed", "RuntimeError: a bug in the daemon"),
        ("silent", "daemon_failed", "exit code 7"),
        ("refuse", "database_newer", "The journal is of a newer version."),
    ],
)
def test_a_daemon_that_does_not_start_says_why_and_leaves_nothing(
    start: Start, paths: WorkspacePaths, manner: str, code: str, words: str
) -> None:
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON=manner)
    assert problem.value.code == code
    assert words in problem.value.detail
    assert not is_locked(paths.owner_lock)


def test_a_start_that_takes_too_long_is_ended_before_another_is_tried(
    start: Start, paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_start, "READY_SECONDS", 0.5)
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON="slow")
    assert problem.value.code == "start_timed_out"
    assert not is_locked(paths.owner_lock)
    monkeypatch.undo()
    assert not start(LARARIUM_HOME=str(paths.state_dir.parent.parent)).already_running


def test_a_daemon_that_claims_to_be_ready_and_does_not_answer_is_ended(
    start: Start, paths: WorkspacePaths
) -> None:
    with pytest.raises(ClientError) as problem:
        start(SMALL_DAEMON="mute,deaf,hasty")
    assert problem.value.code == "daemon_failed"
    assert not is_locked(paths.owner_lock)


def test_a_holder_of_the_lock_that_never_answers_is_said(
    start: Start, paths: WorkspacePaths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_start, "ATTACH_SECONDS", 0.3)
    ensure_private_dir(paths.state_dir)
    held = try_lock(paths.owner_lock) or pytest.fail("not locked")
    with held, pytest.raises(ClientError) as problem:
        start()
    assert (problem.value.code, problem.value.exit_code) == ("lock_held", 75)


def test_a_broken_command_is_said_with_its_last_words(workspace: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no such module')"]
    with pytest.raises(ClientError, match="no such module") as problem:
        start_daemon(workspace, os.environ, command=command)
    assert problem.value.code == "daemon_failed"


def test_an_unsafe_state_folder_is_refused_before_anything_starts(
    start: Start, lararium_home: Path, workspace: Path
) -> None:
    lararium_home.mkdir()
    (lararium_home / "state").mkdir()
    (lararium_home / "state").chmod(0o777)
    with pytest.raises(LarariumError) as problem:
        start()
    assert problem.value.code == "unsafe_folder"
    (lararium_home / "state").chmod(0o700)


def test_a_missing_folder_is_said_before_anything_starts(
    start: Start, tmp_path: Path, lararium_home: Path
) -> None:
    with pytest.raises(ClientError) as problem:
        start(tmp_path / "missing")
    assert problem.value.code == "no_such_folder"
    assert not lararium_home.exists()


STARTER = """
import json, os, pathlib, sys
from lararium_daemon.client.start import start_daemon
from tests.fakes.small_daemon import COMMAND
started = start_daemon(pathlib.Path(sys.argv[1]), os.environ, command=COMMAND)
print(json.dumps(started.to_json()))
"""


def test_a_killed_starter_leaves_no_daemon(workspace: Path, paths: WorkspacePaths) -> None:
    starter = subprocess.Popen(
        [sys.executable, "-c", STARTER, str(workspace)],
        env=os.environ | {"SMALL_DAEMON": "slow", "PYTHONPATH": os.fspath(Path.cwd())},
    )
    assert _eventually(lambda: is_locked(paths.owner_lock))
    below = {(row.pid, row.start) for row in select_descendants(process_rows(), {starter.pid})}
    assert below
    starter.kill()
    starter.wait(5)
    assert _eventually(lambda: not any(is_alive(*identity) for identity in below))
    assert not is_locked(paths.owner_lock)


def test_fifty_starters_at_once_end_with_one_daemon(workspace: Path, paths: WorkspacePaths) -> None:
    starters = [
        subprocess.Popen(
            [sys.executable, "-c", STARTER, str(workspace)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.fspath(Path.cwd())},
        )
        for _ in range(50)
    ]
    answers = [starter.communicate(timeout=60) for starter in starters]
    stop_daemon(paths)
    assert [errors for _, errors in answers if errors] == []
    said = [json.loads(out) for out, _ in answers]
    assert len({(one["guid"], one["pid"], one["base_url"]) for one in said}) == 1
    assert [one["already_running"] for one in said].count(False) == 1


def test_looking_for_a_daemon_loads_the_standard_library_alone() -> None:
    script = (
        "import sys, argparse, lararium_daemon.client.start, lararium_daemon.client.stop\n"
        "from lararium_daemon.terminal import daemon, paths\n"
        "ours = [n for n in sys.modules if n.split('.')[0] in "
        "{'pydantic', 'httpx', 'httpx2', 'anyio', 'asyncio', 'psutil', 'platformdirs'}]\n"
        "print(ours)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert done.stdout == "[]\n"


def _eventually(claim: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
