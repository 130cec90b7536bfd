"""Ending a call ends all that it started, however it tried to get away."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from lararium_daemon.system.process_table import is_alive, start_time
from lararium_daemon.system.processes import end_tree, wait_exit

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
]

CALL = f"call_{os.getpid():010}"


@contextmanager
def call(script: str, cwd: Path) -> Generator[subprocess.Popen[bytes]]:
    """Start a tool call's shell as the tools do."""
    child = subprocess.Popen(
        ["bash", "--noprofile", "--norc", "-c", script],
        cwd=cwd,
        env={"PATH": os.defpath, "LARARIUM_CALL": CALL},
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield child
    finally:
        child.kill()
        child.wait(5)


async def pid_in(path: Path) -> tuple[int, float]:
    """Wait until the script has written a process number; return it with its start time."""
    with anyio.fail_after(5):
        while not (text := _read(path)).endswith("\n"):  # noqa: ASYNC110 - a shell raises no event
            await anyio.sleep(0.01)
    start = start_time(int(text))
    assert start is not None
    return int(text), start


def _read(path: Path) -> str:
    return path.read_text(encoding="ascii") if path.exists() else ""


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("sleep 300 & echo $! > pid; wait", id="a background child"),
        pytest.param("bash -c 'sleep 300 & echo $! > pid; wait'", id="a grandchild"),
        pytest.param("setsid sh -c 'echo $$ > pid; exec sleep 300' & wait", id="its own session"),
        pytest.param(
            "(setsid sh -c 'echo $$ > pid; exec sleep 300' &) ; sleep 300",
            id="its own session and no parent",
        ),
        pytest.param(
            "nohup sh -c 'echo $$ > pid; exec sleep 300' & disown; sleep 300", id="disowned"
        ),
        pytest.param(
            "trap '' TERM; sh -c 'echo $$ > pid; while :; do sleep 1; done'", id="deaf to TERM"
        ),
        pytest.param(
            "env -i setsid sh -c 'echo $$ > pid; exec sleep 300' & wait", id="without the mark"
        ),
        pytest.param("sh -c 'echo $$ > pid; kill -STOP $$; sleep 300'", id="stopped"),
    ],
)
async def test_what_a_call_started_is_gone(script: str, tmp_path: Path) -> None:
    with call(script, tmp_path) as child:
        pid, start = await pid_in(tmp_path / "pid")
        with anyio.fail_after(10):
            await end_tree(child.pid, mark=CALL, grace_seconds=0.2)
        assert not is_alive(pid, start)
        assert start_time(child.pid) is None


async def test_a_process_that_obeys_may_clean_up(tmp_path: Path) -> None:
    script = "trap 'echo bye > said; exit' TERM; echo $$ > pid; while :; do sleep 0.05; done"
    with call(script, tmp_path) as child:
        await pid_in(tmp_path / "pid")
        await end_tree(child.pid, mark=CALL, grace_seconds=5)
        assert child.wait(5) == 0
    assert (tmp_path / "said").read_text(encoding="ascii") == "bye\n"


async def test_another_call_is_left_alone(tmp_path: Path) -> None:
    with call("sleep 300", tmp_path) as other, call("sleep 300", tmp_path) as child:
        other_start = start_time(other.pid)
        assert other_start is not None
        await end_tree(child.pid, mark="call_of_nobody", grace_seconds=0.2)
        assert is_alive(other.pid, other_start)


async def test_a_process_that_carries_its_own_call_does_not_end_itself(tmp_path: Path) -> None:
    script = (
        "import anyio, os\n"
        "from lararium_daemon.system.processes import end_tree\n"
        f"anyio.run(lambda: end_tree(os.getpid(), mark={CALL!r}, grace_seconds=0.1))\n"
        "print('still here')\n"
    )
    done = await anyio.run_process(
        [sys.executable, "-c", script], cwd=tmp_path, env={"LARARIUM_CALL": CALL}
    )
    assert done.stdout == b"still here\n"


async def test_ending_goes_on_when_the_caller_is_cancelled(tmp_path: Path) -> None:
    with call("trap '' TERM; echo $$ > pid; while :; do sleep 1; done", tmp_path) as child:
        pid, start = await pid_in(tmp_path / "pid")
        with anyio.move_on_after(0):
            await end_tree(child.pid, mark=CALL, grace_seconds=0.1)
        assert not is_alive(pid, start)


async def test_descendants_are_ended_without_a_mark(tmp_path: Path) -> None:
    script = (
        "import anyio, subprocess\n"
        "from lararium_daemon.system.processes import end_descendants\n"
        "child = subprocess.Popen(['sleep', '300'], start_new_session=True)\n"
        "anyio.run(end_descendants, 0.1)\n"
        "print(child.wait(5))\n"
    )
    done = await anyio.run_process([sys.executable, "-c", script], cwd=tmp_path)
    assert int(done.stdout) == -signal.SIGTERM


async def test_the_end_of_a_process_is_seen_although_its_pipe_is_held(tmp_path: Path) -> None:
    with call("sleep 300 & echo $! > pid", tmp_path) as child:
        with anyio.fail_after(5):
            await wait_exit(child.pid)
        assert child.wait(5) == 0
        pid, _ = await pid_in(tmp_path / "pid")
        os.kill(pid, signal.SIGKILL)


async def test_waiting_for_a_process_that_is_gone_returns_at_once() -> None:
    gone = await anyio.run_process([sys.executable, "-c", "import os; print(os.getpid())"])
    with anyio.fail_after(5):
        await wait_exit(int(gone.stdout))
