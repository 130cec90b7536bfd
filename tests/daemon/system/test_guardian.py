"""The guardian: one daemon a folder, nothing left behind, an end that is said."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.small_daemon import COMMAND, ESCAPES

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system import guardian
from lararium_daemon.system.environment import OWNER_MARK
from lararium_daemon.system.locks import is_locked
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import (
    is_alive,
    mark_of,
    process_rows,
    select_descendants,
    send_signal,
    start_time,
)
from lararium_daemon.system.runtime import read_runtime

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="guardians are Linux's")

Start = Callable[..., subprocess.Popen[bytes]]
Identity = tuple[int, float]


@pytest.fixture
def start(workspace: Path) -> Iterator[Start]:
    """Start guardians as a client does; end those that are left."""
    started: list[subprocess.Popen[bytes]] = []

    def start(manner: str = "", *arguments: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*COMMAND, "--workspace", str(workspace), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"SMALL_DAEMON": manner},
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
        process.communicate(timeout=20)


def said(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    assert process.stdout is not None
    return json.loads(process.stdout.readline())


def eventually(claim: Callable[[], bool], seconds: float = 10.0) -> bool:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def below(pid: int) -> set[Identity]:
    return {(row.pid, row.start) for row in select_descendants(process_rows(), {pid})}


def any_alive(identities: set[Identity]) -> bool:
    return any(is_alive(*identity) for identity in identities)


def test_the_ready_line_is_passed_on_and_the_pipe_closed(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start()
    ready = said(process)["ready"]
    assert ready["workspace_id"] == paths.workspace_id
    assert process.stdout is not None
    assert process.stdout.read() == b""  # the end of the pipe: the guardian let go of it
    assert process.poll() is None
    record = read_runtime(paths.daemon_json)
    assert record is not None
    assert (record.pid, record.guid) == (ready["pid"], ready["guid"])
    assert is_locked(paths.owner_lock)


def test_term_ends_the_daemon_cleanly_and_frees_the_lock(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start()
    said(process)
    process.terminate()
    assert process.wait(10) == 0
    assert not paths.daemon_json.exists()
    assert not is_locked(paths.owner_lock)


def test_a_second_guardian_says_that_the_lock_is_held(start: Start, paths: WorkspacePaths) -> None:
    first = start()
    said(first)
    second = start()
    assert said(second)["error"]["code"] == "lock_held"
    assert second.wait(10) == 75
    assert json.loads(paths.owner_lock.read_bytes())["pid"] == first.pid


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_that_tools_left_behind_survives_the_daemon(
    start: Start, paths: WorkspacePaths, ending: signal.Signals
) -> None:
    process = start("tools")
    daemon = said(process)["ready"]["pid"]
    assert eventually(lambda: len(below(process.pid)) > len(ESCAPES))
    everything = below(process.pid)
    os.kill(daemon, ending)
    process.wait(15)
    assert not any_alive(everything)
    assert not is_locked(paths.owner_lock)


def test_the_lock_is_held_until_the_last_tool_is_gone(start: Start, paths: WorkspacePaths) -> None:
    process = start("tools")
    daemon = said(process)["ready"]["pid"]
    assert eventually(lambda: len(below(process.pid)) > len(ESCAPES))
    everything = below(process.pid)
    os.kill(daemon, signal.SIGKILL)
    assert eventually(lambda: not is_locked(paths.owner_lock), 15)
    assert not any_alive(everything)


def test_the_log_says_how_a_killed_daemon_ended(start: Start, paths: WorkspacePaths) -> None:
    process = start()
    os.kill(said(process)["ready"]["pid"], signal.SIGKILL)
    assert process.wait(10) == 128 + signal.SIGKILL
    last = json.loads(paths.log.read_text(encoding="utf-8").splitlines()[-1])
    assert "ended by signal 9" in last["message"]


def test_the_daemon_is_told_when_its_guardian_is_killed(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start()
    said(process)
    process.kill()
    process.wait(5)
    assert eventually(lambda: not is_locked(paths.owner_lock))
    assert not paths.daemon_json.exists()  # it ended cleanly


def test_a_daemon_without_its_guardian_ends_its_tools_itself(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start("children")
    daemon = said(process)["ready"]["pid"]
    assert eventually(lambda: len(below(daemon)) == 2)
    tools = below(daemon)
    process.kill()
    process.wait(5)
    assert eventually(lambda: not is_locked(paths.owner_lock))
    assert not any_alive(tools)


def kill_both(guardian: subprocess.Popen[bytes], daemon: int) -> None:
    """Leave neither of them the time to clean up."""
    guardian.send_signal(signal.SIGSTOP)
    os.kill(daemon, signal.SIGKILL)
    guardian.kill()
    guardian.wait(5)


def test_what_survived_a_killed_guardian_is_ended_before_the_next_daemon_starts(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start("tools")
    daemon = said(process)["ready"]["pid"]
    assert eventually(lambda: len(below(process.pid)) > len(ESCAPES))
    everything = below(process.pid)
    kill_both(process, daemon)
    survivors = {identity for identity in everything if is_alive(*identity)}
    assert len(survivors) > len(ESCAPES)
    nameless = {each for each in survivors if mark_of(each[0], OWNER_MARK) is None}
    assert said(start())["ready"]["pid"] != daemon
    assert not any_alive(survivors - nameless)
    for identity in nameless:  # it has cleared its environment and lost its parent
        send_signal(*identity, signal.SIGKILL)
    lines = [json.loads(line) for line in paths.log.read_text(encoding="utf-8").splitlines()]
    assert [line["level"] for line in lines] == ["warning"]
    assert "of the calls call-1 had survived the last guardian" in lines[0]["message"]


def test_nothing_is_looked_for_after_an_end_as_it_should_be(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start()
    said(process)
    process.terminate()
    assert process.wait(10) == 0
    bystander = subprocess.Popen(["sleep", "300"], env=os.environ | {OWNER_MARK: paths.owner_mark})
    try:
        said(start())
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait(5)


def test_a_daemon_without_its_guardian_ends_what_has_lost_its_parent_too(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start("tools")
    daemon = said(process)["ready"]["pid"]
    assert eventually(lambda: len(below(process.pid)) > len(ESCAPES))
    marked = {each for each in below(process.pid) if mark_of(each[0], OWNER_MARK)}
    nameless = below(process.pid) - marked
    process.kill()
    process.wait(5)
    assert eventually(lambda: not is_locked(paths.owner_lock), 15)
    assert start_time(daemon) is None
    assert not any_alive(marked)
    for identity in nameless:
        send_signal(*identity, signal.SIGKILL)


def test_a_daemon_deaf_to_term_is_killed_in_time(start: Start) -> None:
    process = start("deaf,hasty")
    daemon = said(process)["ready"]["pid"]
    begun = start_time(daemon)
    assert begun is not None
    process.terminate()
    assert process.wait(10) == 128 + signal.SIGKILL
    assert not is_alive(daemon, begun)


def test_a_starter_that_goes_away_leaves_no_daemon(start: Start, paths: WorkspacePaths) -> None:
    process = start("slow")
    assert eventually(lambda: len(below(process.pid)) == 1)
    assert process.stdout is not None
    process.stdout.close()
    process.stdout = None
    process.wait(5)
    assert not is_locked(paths.owner_lock)
    assert not paths.daemon_json.exists()


@pytest.mark.parametrize("manner", ["crash", "group"])
def test_an_end_before_ready_is_said_with_its_last_words(
    start: Start, paths: WorkspacePaths, manner: str
) -> None:
    process = start(manner)
    error = said(process)["error"]
    assert error["code"] == "daemon_failed"
    assert "It said last: RuntimeError: a bug in the daemon See" in error["detail"]
    assert str(paths.output) in error["detail"]
    assert process.wait(10) == 70


def test_an_end_before_ready_without_a_word_is_said(start: Start) -> None:
    process = start("silent")
    assert "exit code 7" in said(process)["error"]["detail"]
    assert process.wait(10) == 7


def test_an_error_of_ours_keeps_its_code(start: Start) -> None:
    process = start("refuse")
    assert said(process) == {
        "error": {"code": "database_newer", "detail": "The journal is of a newer version."}
    }
    assert process.wait(10) == 1


def test_in_the_foreground_the_daemon_keeps_the_terminal(
    start: Start, paths: WorkspacePaths
) -> None:
    process = start("crash", "--foreground")
    _, errors = process.communicate(timeout=10)
    assert b"RuntimeError: a bug in the daemon" in errors
    assert not paths.output.exists()


def test_what_lies_at_the_place_of_the_lock_is_said(start: Start, paths: WorkspacePaths) -> None:
    paths.owner_lock.mkdir(parents=True)
    paths.state_dir.chmod(0o700)
    process = start()
    assert said(process)["error"]["code"] == "lock_unusable"
    assert process.wait(10) == 78


def test_an_unsafe_state_folder_is_refused_and_nothing_written(
    start: Start, lararium_home: Path, tmp_path: Path
) -> None:
    trap = tmp_path / "trap"
    trap.mkdir()
    lararium_home.mkdir()
    (lararium_home / "state").symlink_to(trap)
    process = start()
    assert said(process)["error"]["code"] == "unsafe_folder"
    assert process.wait(10) == 78
    assert list(trap.iterdir()) == []


def test_the_files_of_a_daemon_are_private_under_any_umask(
    start: Start, lararium_home: Path
) -> None:
    before = os.umask(0)
    try:
        process = start()
        said(process)
    finally:
        os.umask(before)
    open_to_others = [path for path in lararium_home.rglob("*") if path.stat().st_mode & 0o077]
    assert open_to_others == []


def test_a_wrong_command_line_is_usage(capfd: pytest.CaptureFixture[str]) -> None:
    def serve(**_: object) -> int:
        raise LarariumError("not_reached", "")

    assert guardian.main(["--workspace"], serve, {}) == 2
    assert json.loads(capfd.readouterr().out)["error"]["code"] == "usage"


def test_a_guardian_loads_little_of_the_standard_library_and_nothing_else() -> None:
    script = (
        "import sys; before = set(sys.modules); from lararium_daemon.system import guardian\n"
        "print(*{name.split('.')[0] for name in set(sys.modules) - before} - {'lararium_daemon'})"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = set(done.stdout.decode().split())
    assert loaded <= set(sys.stdlib_module_names)
    assert not loaded & {"asyncio", "dataclasses", "inspect", "logging", "socket", "subprocess"}
