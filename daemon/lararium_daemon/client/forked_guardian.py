"""A guardian that a fork server makes: the same daemon, started in a tenth of the time.

Whether there is a server, whether it is this user's and whether it would make the same process is
found out first; in every doubt there is no guardian, and the caller starts one itself. Linux only.
"""

import json
import os
import select
import signal
import socket
import time
from pathlib import Path
from typing import Any

from lararium_daemon.client.guardian import END_SECONDS
from lararium_daemon.system.conditions import own_conditions, umask_now
from lararium_daemon.system.fork_request import (
    ForkRequest,
    Surroundings,
    address_in,
    is_own_peer,
    open_folder,
)
from lararium_daemon.system.process_table import is_alive, send_signal

FORK_SECONDS = 5.0
"""How long a server may take to fork; it may have to wait for another client's request."""
_READ_BYTES = 64 * 1024


def fork_guardian(
    folder: Path, workspace: Path, state_dir: Path, environment: dict[str, str]
) -> "ForkedGuardian | None":
    """Have a guardian forked by the server that listens in `folder`; None when that will not do.

    Args:
        folder: Where the server's socket lies.
        workspace: The project folder.
        state_dir: Its working folder, as for a guardian that is started as a program.
        environment: All that guardian and daemon see.
    """
    opened = open_folder(folder)
    if opened is None:
        return None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    surroundings = Surroundings(environment, state_dir, umask_now())
    try:
        guardian = _ask(connection, opened, workspace, surroundings)
    except (OSError, ValueError, KeyError, TypeError):
        guardian = None
    finally:
        os.close(opened)
    if guardian is None:
        connection.close()  # a guardian that was forked all the same ends because of it
    return guardian


class ForkedGuardian:
    """A guardian that is nobody's child here; its number and start time say who it is."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._unread = b""
        self._pid, self._start = 0, 0.0

    def identify(self, seconds: float) -> bool:
        """Read which process it is; False when the server has declined."""
        said: Any = json.loads(self.first_line(seconds) or b"{}")
        if "guardian" not in said:
            return False
        self._pid = int(said["guardian"]["pid"])
        self._start = float(said["guardian"]["create_time"])
        return self._pid > 0

    def first_line(self, seconds: float) -> bytes | None:
        """Read a line; b"" when it ended without one, None when the time is over."""
        give_up = time.monotonic() + seconds
        while b"\n" not in self._unread:
            left = give_up - time.monotonic()
            if left <= 0:
                return None
            self._connection.settimeout(left)
            try:
                chunk = self._connection.recv(_READ_BYTES)
            except TimeoutError:
                return None
            except ConnectionError:
                chunk = b""
            if not chunk:
                return b""
            self._unread += chunk
        line, _, self._unread = self._unread.partition(b"\n")
        return line + b"\n"

    def terminate(self) -> None:
        """Tell it to end."""
        send_signal(self._pid, self._start, signal.SIGTERM)

    def wait(self) -> None:
        """Wait until it is gone with all that is below it; kill it after `END_SECONDS`."""
        if not self._has_ended(END_SECONDS):
            send_signal(self._pid, self._start, signal.SIGKILL)
            self._has_ended(END_SECONDS)

    def last_words(self) -> str:
        """Say how it ended."""
        return "its guardian ended without a word."

    def let_go(self) -> None:
        """Close our end of the connection."""
        self._connection.close()

    def _has_ended(self, seconds: float) -> bool:
        try:
            descriptor = os.pidfd_open(self._pid)
        except ProcessLookupError:
            return True
        try:
            if not is_alive(self._pid, self._start):
                return True
            poll = select.poll()
            poll.register(descriptor, select.POLLIN)
            return bool(poll.poll(seconds * 1000))
        finally:
            os.close(descriptor)


def _ask(
    connection: socket.socket, folder: int, workspace: Path, surroundings: Surroundings
) -> ForkedGuardian | None:
    connection.settimeout(FORK_SECONDS)
    connection.connect(address_in(folder))
    if not is_own_peer(connection):
        return None
    conditions = own_conditions(surroundings.environment).to_json()
    connection.sendall(ForkRequest(workspace, surroundings, conditions).encode())
    guardian = ForkedGuardian(connection)
    return guardian if guardian.identify(FORK_SECONDS) else None
