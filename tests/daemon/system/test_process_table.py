"""A process is its number and its start time; zombies are gone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from lararium_daemon.system.process_table import (
    ProcessRow,
    boot_id,
    carries_mark,
    is_alive,
    process_row,
    process_rows,
    select_descendants,
    select_tree,
    send_signal,
    start_time,
)

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def eventually(claim: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Say whether the claim came true in time."""
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_this_process_is_alive_under_its_start_time() -> None:
    start = start_time(os.getpid())
    assert start is not None
    assert is_alive(os.getpid(), start)
    assert not is_alive(os.getpid(), start - 1)


def test_the_boot_has_a_name_that_stays() -> None:
    assert boot_id()
    assert boot_id() == boot_id()


def test_a_zombie_counts_as_gone() -> None:
    child = subprocess.Popen(["true"])
    try:
        assert eventually(lambda: process_row(child.pid) is None)
        os.kill(child.pid, 0)  # the number is still taken
    finally:
        child.wait(5)


def test_a_name_with_parentheses_does_not_confuse_the_reader() -> None:
    command = "printf ') R 1 (' > /proc/self/comm; read x"
    child = subprocess.Popen(["bash", "-c", command], stdin=subprocess.PIPE)
    try:
        assert eventually(
            lambda: (row := process_row(child.pid)) is not None and row.parent == os.getpid()
        )
        assert child.pid in {row.pid for row in process_rows()}
    finally:
        child.kill()
        child.communicate(timeout=5)


def test_a_process_with_another_start_time_is_not_signalled() -> None:
    child = subprocess.Popen(["sleep", "30"])
    try:
        start = start_time(child.pid)
        assert start is not None
        assert not send_signal(child.pid, start - 5, signal.SIGKILL)
        assert is_alive(child.pid, start)
        assert send_signal(child.pid, start, signal.SIGKILL)
    finally:
        child.kill()
        assert child.wait(5) == -signal.SIGKILL


def test_signalling_what_is_gone_says_so() -> None:
    child = subprocess.Popen(["true"])
    child.wait(5)
    assert not send_signal(child.pid, 1.0, signal.SIGTERM)


def test_a_mark_is_read_from_the_environment_a_process_began_with() -> None:
    child = subprocess.Popen(["sleep", "30"], env={"LARARIUM_CALL": "call_1"})
    try:
        assert eventually(lambda: carries_mark(child.pid, "LARARIUM_CALL=call_1"))
        assert not carries_mark(child.pid, "LARARIUM_CALL=call_")
    finally:
        child.kill()
        child.wait(5)


def _row(pid: int, parent: int, session: int = 1) -> ProcessRow:
    return ProcessRow(pid=pid, parent=parent, session=session, start=float(pid))


def test_a_tree_is_a_session_and_all_below_it() -> None:
    rows = [
        _row(1, 0),
        _row(10, 1, session=10),
        _row(11, 10, session=10),
        _row(12, 11, session=12),
        _row(13, 1, session=10),
        _row(14, 13, session=14),
        _row(20, 1, session=20),
    ]
    assert {row.pid for row in select_tree(rows, 10)} == {10, 11, 12, 13, 14}


def test_a_process_seen_before_is_kept_and_a_reused_number_is_not() -> None:
    rows = [_row(30, 1), _row(31, 30), _row(40, 1)]
    assert {row.pid for row in select_tree(rows, None, [(30, 30.0), (40, 1.0)])} == {30, 31}


def test_descendants_do_not_hold_their_ancestor() -> None:
    rows = [_row(1, 0), _row(2, 1), _row(3, 2), _row(4, 1)]
    assert {row.pid for row in select_descendants(rows, {2})} == {3}
