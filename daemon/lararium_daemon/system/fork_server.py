"""The fork server: a process that has everything a daemon needs imported, and forks on request.

It never is a daemon itself: one thread, no event loop, no window, nothing open but what is listed
here, and it makes sure of that before each fork. Its child is a guardian, which forks the daemon
as ever. Both outlive it. A child is renewed first (`renewal.py`), so that it finds around it what
its caller has, not what the server had; a caller whose conditions cannot be made (`conditions.py`)
is declined, and starts its daemon itself.

It ends when its standard input does, and when the code on disk is no more what it has imported.
Linux only.
"""

import asyncio
import gc
import json
import os
import select
import signal
import socket
import stat
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system import guardian
from lararium_daemon.system.conditions import code_stamp, own_conditions
from lararium_daemon.system.exit_codes import CODE_CHANGED, DONE, INTERNAL, USAGE, exit_code_of
from lararium_daemon.system.fork_request import (
    DECLINED,
    MAX_REQUEST_BYTES,
    ForkRequest,
    address_in,
    is_own_peer,
    open_folder,
    parse_request,
)
from lararium_daemon.system.forked import Serve, name_process
from lararium_daemon.system.process_table import start_time
from lararium_daemon.system.renewal import renew, renew_signals

REQUEST_SECONDS = 2.0
"""How long a client may take to say what it wants."""
_READ_BYTES = 64 * 1024
_FOREIGN = ("gi", "webview", "pystray", "PySide6", "tkinter")
"""A GUI library would have its own idea of what a fork leaves behind."""


def main(
    arguments: Sequence[str], warm_up: Callable[[], Serve], environment: Mapping[str, str]
) -> int:
    """Run `_fork_server --folder DIR`; return the exit code.

    Args:
        arguments: What follows `_fork_server`.
        warm_up: Imports what a daemon needs and returns the daemon; must start no thread and open
            nothing.
        environment: This process's.
    """
    if len(arguments) != 2 or arguments[0] != "--folder":
        sys.stderr.write("usage: _fork_server --folder DIR\n")
        return USAGE
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    name_process(b"lar-fork-server")
    renew_signals()
    # A collection leaves holes in every page, and each child would write its own copy to fill them.
    gc.disable()
    stamp = code_stamp()
    serve = warm_up()
    try:
        server = _ForkServer(Path(arguments[1]), serve, environment)
    except LarariumError as error:
        sys.stderr.write(f"{error.code}: {error.detail}\n")
        return exit_code_of(error.code)
    return server.run(stamp)


class _ForkServer:
    """One listening socket and what is forked for it."""

    def __init__(self, folder: Path, serve: Serve, environment: Mapping[str, str]) -> None:
        """Begin to listen. Raises LarariumError `unsafe_folder`."""
        opened = open_folder(folder)
        if opened is None:
            raise LarariumError("unsafe_folder", f"{folder} is not private to this user.", 500)
        self._folder = opened
        self._serve = serve
        self._conditions = own_conditions(environment).to_json()
        self._listener = _listen(opened)
        self._inode = _inode(opened)

    def run(self, stamp: tuple[int, int]) -> int:
        """Fork on request until standard input ends or the code is not of `stamp` any more."""
        # The kernel reaps children whose parent does not care: never a zombie, whoever dies first.
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        gc.freeze()  # what is shared must not be written by a collection in a child either
        check_forkable(self._opened())
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(self._listener, select.POLLIN)
        try:
            while True:
                for ready, _ in poll.poll():
                    if ready == 0:
                        if not os.read(0, _READ_BYTES):
                            return DONE
                    elif not self._answer(stamp):
                        return CODE_CHANGED
        except KeyboardInterrupt:
            return DONE
        finally:
            self._withdraw()

    def _answer(self, stamp: tuple[int, int]) -> bool:
        """Answer one client; False when the code has changed, and the client was declined."""
        connection, _ = self._listener.accept()
        with connection:
            if not is_own_peer(connection):
                return True
            try:
                request = parse_request(_read_line(connection))
            except (OSError, ValueError) as error:
                sys.stderr.write(f"A request could not be read: {error}\n")
                return True
            is_current = code_stamp() == stamp
            why = self._objection(request) if is_current else "the code on disk has changed"
            if why is not None:
                _decline(connection, why)
                return is_current
            if not _has_gone(connection):
                check_forkable(self._opened() | {connection.fileno()})
                if os.fork() == 0:
                    self._become_guardian(connection, request)
        return True

    def _opened(self) -> set[int]:
        return {0, 1, 2, self._folder, self._listener.fileno()}

    def _objection(self, request: ForkRequest) -> str | None:
        differing = [
            name
            for name, value in self._conditions.items()
            if request.conditions.get(name) != value
        ]
        return f"the caller differs in {', '.join(differing)}" if differing else None

    def _become_guardian(self, connection: socket.socket, request: ForkRequest) -> NoReturn:
        code = INTERNAL
        try:
            self._listener.close()
            os.close(self._folder)
            renew(request.surroundings, output=connection.detach())
            gc.enable()
            _say(1, {"guardian": {"pid": os.getpid(), "create_time": start_time(os.getpid())}})
            code = guardian.run(request.workspace, self._serve, request.surroundings.environment)
        except BaseException as error:  # noqa: BLE001 - the top of the guardian's process
            traceback.print_exc()
            _say(1, {"error": {"code": "daemon_failed", "detail": f"The guardian broke: {error}"}})
        finally:
            os._exit(code)

    def _withdraw(self) -> None:
        """Take the socket away, unless another server has put its own there."""
        if _inode(self._folder) == self._inode:
            Path(address_in(self._folder)).unlink(missing_ok=True)


def check_forkable(expected: set[int]) -> None:
    """Make sure that a fork would copy nothing that must not be copied.

    Raises:
        RuntimeError: a thread, an event loop, a GUI library or an open file that is not expected.
    """
    threads = os.listdir("/proc/self/task")  # noqa: PTH208 - names, not paths
    if len(threads) != 1:
        raise RuntimeError(f"{len(threads)} threads run before a fork")
    if asyncio._get_running_loop() is not None:
        raise RuntimeError("an event loop runs before a fork")
    loaded = [name for name in _FOREIGN if name in sys.modules]
    if loaded:
        raise RuntimeError(f"{', '.join(loaded)} loaded before a fork")
    # The listing's own descriptor is gone by the time it is asked about.
    opened = {int(name) for name in os.listdir("/proc/self/fd")} - expected  # noqa: PTH208
    strange = [number for number in opened if Path(f"/proc/self/fd/{number}").is_symlink()]
    if strange:
        raise RuntimeError(f"descriptors {strange} are open before a fork")


def _listen(folder: int) -> socket.socket:
    """Listen, and only then show the socket, in place of one that a killed server left."""
    address = address_in(folder)
    hidden = f"{address}.{os.getpid()}"
    Path(hidden).unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(hidden)
    finally:
        os.umask(before)
    listener.listen(64)
    Path(hidden).rename(address)
    return listener


def _inode(folder: int) -> int | None:
    try:
        info = Path(address_in(folder)).lstat()
    except OSError:
        return None
    return info.st_ino if stat.S_ISSOCK(info.st_mode) else None


def _read_line(connection: socket.socket) -> bytes:
    give_up = time.monotonic() + REQUEST_SECONDS
    data = bytearray()
    while not data.endswith(b"\n"):
        connection.settimeout(max(0.001, give_up - time.monotonic()))
        chunk = connection.recv(_READ_BYTES)
        if not chunk or len(data) > MAX_REQUEST_BYTES:
            raise ValueError("it does not end")
        data += chunk
    connection.settimeout(None)
    return bytes(data)


def _has_gone(connection: socket.socket) -> bool:
    """Tell whether the client has closed its end: then it wants no daemon any more."""
    poll = select.poll()
    poll.register(connection, 0)
    return bool(poll.poll(0))


def _decline(connection: socket.socket, why: str) -> None:
    sys.stderr.write(f"A request was declined: {why}\n")
    _say(connection.fileno(), {"error": {"code": DECLINED, "detail": why}})


def _say(descriptor: int, line: dict[str, Any]) -> None:
    try:
        os.write(descriptor, json.dumps(line).encode() + b"\n")
    except OSError:  # nobody listens any more
        return
