"""A lock has one holder, is freed with it, and is shared by fork alone."""

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.locks import is_locked, try_lock

HOLD = (
    "import sys, pathlib; from lararium_daemon.system.locks import try_lock\n"
    "held = try_lock(pathlib.Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()"
)


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    held = try_lock(path)
    assert held is not None
    assert is_locked(path)
    assert try_lock(path) is None
    held.release()
    assert not is_locked(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert try_lock(path) is None
        holder.send_signal(signal.SIGKILL)
        holder.wait(5)
        assert try_lock(path) is not None


def test_a_forked_child_keeps_the_lock_and_a_started_program_does_not(tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    held = try_lock(path)
    assert held is not None
    program = subprocess.Popen(["sleep", "30"], close_fds=False)
    child = os.fork()
    if child == 0:
        signal.pause()
        os._exit(0)
    held.release()
    try:
        assert is_locked(path)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert not is_locked(path)
    program.kill()
    program.wait(5)


def test_the_holder_leaves_a_note(tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    path.write_bytes(b"a longer note of the last holder")
    with try_lock(path) or pytest.fail("not locked") as held:
        held.write_note(b"pid 1")
        assert path.read_bytes() == b"pid 1"


def test_a_folder_at_the_place_of_the_lock_is_said(tmp_path: Path) -> None:
    (tmp_path / "owner.lock").mkdir()
    with pytest.raises(LarariumError, match="cannot be opened") as refusal:
        try_lock(tmp_path / "owner.lock")
    assert refusal.value.code == "lock_unusable"


def test_a_lock_that_was_never_taken_is_free_and_not_made(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "owner.lock")
    assert list(tmp_path.iterdir()) == []
