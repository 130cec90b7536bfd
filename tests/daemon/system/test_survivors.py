"""What carries a daemon's mark is ended with all below it, and nothing else is."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator

import pytest

from lararium_daemon.system.environment import CALL_MARK, OWNER_MARK
from lararium_daemon.system.process_table import ProcessRow, select_ancestors
from lararium_daemon.system.survivors import end_marked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux has them")

Spawned = list["subprocess.Popen[bytes]"]


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def spawned() -> Iterator[Spawned]:
    processes: Spawned = []
    yield processes
    for process in processes:
        process.kill()
        process.wait(5)
        if process.stdout is not None:
            process.stdout.close()


def run(spawned: Spawned, script: str, **variables: str) -> "subprocess.Popen[bytes]":
    process = subprocess.Popen(
        ["bash", "-c", script],
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    spawned.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    return process


def test_the_marked_are_ended_and_the_others_live(spawned: Spawned, mark: str) -> None:
    marked = run(spawned, "echo up; exec sleep 300", **{OWNER_MARK: mark, CALL_MARK: "call-7"})
    other = run(spawned, "echo up; exec sleep 300", **{OWNER_MARK: mark + "0"})
    found = end_marked(f"{OWNER_MARK}={mark}")
    assert (found.processes, found.calls) == (1, ["call-7"])
    assert marked.wait(5) == -signal.SIGTERM
    assert other.poll() is None


def test_what_is_below_the_marked_goes_too_though_it_has_cleared_its_environment(
    spawned: Spawned, mark: str
) -> None:
    parent = run(spawned, "env -i sleep 301 & echo up; wait", **{OWNER_MARK: mark})
    found = end_marked(f"{OWNER_MARK}={mark}")
    assert (found.processes, found.calls) == (2, [])
    parent.wait(5)  # by the signal, or because the child was gone first


def test_the_deaf_are_killed(spawned: Spawned, mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lararium_daemon.system.survivors.GRACE_SECONDS", 0.1)
    deaf = run(spawned, "trap '' TERM; echo up; while :; do sleep 0.2; done", **{OWNER_MARK: mark})
    end_marked(f"{OWNER_MARK}={mark}")
    assert deaf.wait(5) == -signal.SIGKILL


def test_nobody_marked_is_no_work(mark: str) -> None:
    assert end_marked(f"{OWNER_MARK}={mark}") == (0, [])


SPARED = """
import os, sys
from lararium_daemon.system.survivors import end_marked
print(end_marked("LARARIUM_OWNER=" + os.environ["LARARIUM_OWNER"]).processes)
"""


def test_whoever_asks_and_those_above_are_spared(mark: str) -> None:
    done = subprocess.run(
        ["sh", "-c", '"$0" -c "$1"; echo still here', sys.executable, SPARED],
        env=os.environ | {OWNER_MARK: mark},
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert done.stdout == b"0\nstill here\n"


def test_ancestors_are_found_and_a_circle_of_reused_numbers_ends() -> None:
    rows = [ProcessRow(pid, parent, 0, 1.0) for pid, parent in ((1, 0), (2, 1), (3, 2), (4, 1))]
    assert {row.pid for row in select_ancestors(rows, 3)} == {3, 2, 1}
    circle = [ProcessRow(5, 6, 0, 1.0), ProcessRow(6, 5, 0, 1.0)]
    assert {row.pid for row in select_ancestors(circle, 5)} == {5, 6}
    assert select_ancestors(rows, 99) == set()
