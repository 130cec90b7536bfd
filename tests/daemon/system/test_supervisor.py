"""A service manager hears when the daemon is ready and when it stops, and need not exist."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.small_daemon import COMMAND

from lararium_daemon.system.supervisor import Supervisor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="systemd is Linux's")


@pytest.fixture
def manager() -> Iterator[tuple[socket.socket, str]]:
    name = f"@lararium-test-{os.getpid()}-{os.urandom(4).hex()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind("\0" + name[1:])
        listener.settimeout(20)
        yield listener, name


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": "/nobody/listens/here"}])
def test_nobody_to_tell_is_no_error(environment: dict[str, str]) -> None:
    Supervisor(environment).tell("READY=1")


def test_a_daemon_that_serves_under_a_manager_says_how_far_it_is(
    manager: tuple[socket.socket, str], tmp_path: Path
) -> None:
    listener, name = manager
    with subprocess.Popen(
        [*COMMAND, "--workspace", str(tmp_path), "--foreground"],
        env=os.environ | {"NOTIFY_SOCKET": name},
        stdout=subprocess.PIPE,
    ) as service:
        assert listener.recv(100) == b"READY=1"
        service.send_signal(signal.SIGTERM)
        assert listener.recv(100) == b"STOPPING=1"
        assert service.wait(20) == 0


def test_a_detached_daemon_does_not_speak_for_the_service_it_was_started_from(
    manager: tuple[socket.socket, str], tmp_path: Path
) -> None:
    listener, name = manager
    with subprocess.Popen(
        [*COMMAND, "--workspace", str(tmp_path)],
        env=os.environ | {"NOTIFY_SOCKET": name},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as detached:
        assert detached.stdout is not None
        detached.stdout.readline()
        detached.terminate()
        assert detached.wait(20) == 0
    listener.setblocking(False)
    with pytest.raises(BlockingIOError):
        listener.recv(100)
