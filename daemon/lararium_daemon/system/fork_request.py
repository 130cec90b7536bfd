"""How a fork server is asked for a daemon, and where: the few lines that both ends agree on.

The server listens at a socket in a private folder. A client sends one line with what the new
process is to find around it, and gets lines back: first which guardian was forked, then what that
guardian says, the ready line or an error. When the connection ends without a line, nothing runs.
Linux only.
"""

import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

SOCKET_NAME = "fork.sock"
MAX_REQUEST_BYTES = 8 * 1024 * 1024
"""More than Linux lets an environment be."""
DECLINED = "fork_declined"
"""The server is another's: the caller starts its daemon itself."""
_CREDENTIALS = struct.Struct("3i")


class Surroundings(NamedTuple):
    """What the new process is to find around it."""

    environment: Mapping[str, str]
    folder: Path
    umask: int


class ForkRequest(NamedTuple):
    """One daemon, please."""

    workspace: Path
    surroundings: Surroundings
    conditions: dict[str, Any]
    """Of the caller; a server with others declines."""

    def encode(self) -> bytes:
        """Return the line. Paths and variables may hold any byte."""
        around = self.surroundings
        content = {
            "workspace": str(self.workspace),
            "environment": dict(around.environment),
            "folder": str(around.folder),
            "umask": around.umask,
            "conditions": self.conditions,
        }
        return json.dumps(content).encode("ascii") + b"\n"


def parse_request(line: bytes) -> ForkRequest:
    """Read a line.

    Raises:
        ValueError: it is no request.
    """
    try:
        content: Any = json.loads(line)
        environment = content["environment"]
        around = Surroundings(
            environment={str(name): str(value) for name, value in environment.items()},
            folder=Path(content["folder"]),
            umask=int(content["umask"]),
        )
        return ForkRequest(Path(content["workspace"]), around, dict(content["conditions"]))
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("not a request") from error


def open_folder(folder: Path) -> int | None:
    """Open a folder that this user alone can change, as a descriptor; None when it is not one."""
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    try:
        descriptor = os.open(folder, flags)
    except OSError:
        return None
    info = os.fstat(descriptor)
    if info.st_uid != os.geteuid() or stat.S_IMODE(info.st_mode) & 0o077:
        os.close(descriptor)
        return None
    return descriptor


def address_in(folder: int) -> str:
    """Return the socket's address in an opened folder: short, and of that very folder."""
    return f"/proc/self/fd/{folder}/{SOCKET_NAME}"


def is_own_peer(connection: socket.socket) -> bool:
    """Tell whether the other end belongs to this user. The kernel says so, not the other end."""
    if sys.platform != "linux":
        return False
    answer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, uid, _ = _CREDENTIALS.unpack(answer)
    return uid == os.geteuid()
