"""A fork server forks only what may be forked, and lives through whatever it is sent."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.fakes.fork_servers import RunningForkServer, fork_server
from tests.fakes.small_daemon import COMMAND

from lararium_daemon.client.forked_guardian import fork_guardian
from lararium_daemon.system.fork_request import address_in
from lararium_daemon.system.paths import ensure_private_dir

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningForkServer]:
    with fork_server(tmp_path / "hub", COMMAND) as server:
        yield server


@contextmanager
def connected(server: RunningForkServer) -> Generator[socket.socket]:
    folder = os.open(server.folder, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(address_in(folder))
            yield connection
    finally:
        os.close(folder)


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"[]\n",
        b"{}\n",
        b"\xff\xfe\n",
        b'{"workspace": 1}\n',
        b'{"workspace": "/", "environment": [], "folder": "/", "umask": 0, "conditions": {}}\n',
        b'{"workspace": "/", "environment": {}, "folder": "/", "umask": 0, "conditions": 1}\n',
        b"[" * 5000 + b"\n",
    ],
)
def test_what_is_no_request_is_answered_by_silence_and_harms_nobody(
    server: RunningForkServer, line: bytes
) -> None:
    with connected(server) as connection:
        connection.sendall(line)
        assert connection.recv(1) == b""
    assert server.process.poll() is None


def test_a_request_that_does_not_end_is_given_up(server: RunningForkServer) -> None:
    with connected(server) as endless, connected(server) as waiting:
        endless.sendall(b'{"workspace"')
        assert endless.recv(1) == b""
        waiting.sendall(b"{}\n")
        assert waiting.recv(1) == b""


def test_a_caller_of_another_version_is_declined(server: RunningForkServer) -> None:
    with connected(server) as connection:
        connection.sendall(
            b'{"workspace": "/", "environment": {}, "folder": "/", "umask": 0,'
            b' "conditions": {"version": "0.0.0"}}\n'
        )
        assert b"fork_declined" in connection.recv(4096)


def test_its_socket_is_private_and_goes_with_it(server: RunningForkServer) -> None:
    assert server.socket.stat().st_mode & 0o777 == 0o600
    stdin = server.process.stdin
    assert stdin is not None
    stdin.close()
    assert server.process.wait(5) == 0
    assert not server.socket.exists()


def test_a_later_server_takes_over_and_the_earlier_one_leaves_it_alone(tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    with fork_server(hub, COMMAND) as first, fork_server(hub, COMMAND) as second:
        stdin = first.process.stdin
        assert stdin is not None
        stdin.close()
        assert first.process.wait(5) == 0
        assert second.socket.exists()


@pytest.mark.parametrize("mode", [0o755, 0o777, 0o710])
def test_a_folder_that_is_not_private_is_refused(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "hub"
    folder.mkdir()
    folder.chmod(mode)
    done = subprocess.run(
        [*COMMAND, "_fork_server", "--folder", str(folder)],
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 78
    assert b"unsafe_folder" in done.stderr
    assert list(folder.iterdir()) == []


def test_a_server_with_a_thread_does_not_begin(tmp_path: Path) -> None:
    folder = ensure_private_dir(tmp_path / "hub")
    done = subprocess.run(
        [*COMMAND, "_fork_server", "--folder", str(folder)],
        env=os.environ | {"SMALL_DAEMON": "threaded"},
        stdin=subprocess.PIPE,
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.returncode != 0
    assert b"2 threads run before a fork" in done.stderr


def test_a_wrong_command_line_is_usage() -> None:
    done = subprocess.run([*COMMAND, "_fork_server"], capture_output=True, timeout=20, check=False)
    assert (done.returncode, done.stdout) == (2, b"")


FORKABLE = (
    "from lararium_daemon.system.fork_server import check_forkable; check_forkable({0, 1, 2})"
)


def refusal(code: str) -> str:
    """Run code in a process of its own, where nothing else was loaded; give how it ended."""
    command = [sys.executable, "-c", f"import os\ntry:\n  exec({code!r})\n"
               "except RuntimeError as error: print(error, flush=True)\nos._exit(0)"]  # fmt: skip
    return subprocess.run(command, capture_output=True, timeout=20, check=True).stdout.decode()


def test_a_process_with_nothing_but_its_own_may_fork() -> None:
    assert refusal(FORKABLE) == ""


@pytest.mark.parametrize(
    ("obstacle", "code"),
    [
        ("descriptors [9] are open", f"os.dup2(1, 9); {FORKABLE}"),
        ("2 threads run", f"import threading; threading.Timer(9, print).start(); {FORKABLE}"),
        ("loaded before a fork", f"import sys; sys.modules['gi'] = sys; {FORKABLE}"),
        (
            "an event loop runs",
            f"import asyncio\nasync def main():\n  {FORKABLE}\nasyncio.run(main())",
        ),
    ],
    ids=["file", "thread", "screen", "loop"],
)
def test_what_a_fork_must_not_copy_keeps_it_from_forking(obstacle: str, code: str) -> None:
    assert obstacle in refusal(code)


def test_nobody_is_asked_where_nobody_listens(tmp_path: Path) -> None:
    private = ensure_private_dir(tmp_path / "private")
    for folder in (tmp_path / "missing", private):
        assert fork_guardian(folder, tmp_path, tmp_path, {}) is None
