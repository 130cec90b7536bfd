"""The guardian: parent of one daemon, and of every process the daemon's tools leave behind.

It takes the owner lock, becomes a subreaper (Linux), forks the daemon, passes its one ready line
on, and then only waits. When the daemon is gone it ends every descendant, TERM first, and exits
with the daemon's code: the lock, which it shares with the daemon alone, is free only when nothing
of the workspace runs any more. When the guardian itself is killed, the daemon gets TERM.

It stays a small process: standard library alone, one thread, and the daemon's imports happen
after the fork. Elsewhere than Linux there is no guardian (not run there): the process takes the
lock and serves itself.
"""

import json
import os
import select
import signal
import stat
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.environment import OWNER_MARK
from lararium_daemon.system.exit_codes import USAGE, exit_code_of
from lararium_daemon.system.forked import (
    Serve,
    become_subreaper,
    name_process,
    open_output,
    redirect,
    run_daemon,
)
from lararium_daemon.system.guardian_words import (
    log_note,
    note_end,
    say_error,
    trim_output,
    why_ended,
    write_all,
)
from lararium_daemon.system.locks import HeldLock, try_lock
from lararium_daemon.system.paths import WorkspacePaths, ensure_private_dir, resolve_paths
from lararium_daemon.system.process_table import boot_id, start_time
from lararium_daemon.system.supervisor import Supervisor
from lararium_daemon.system.survivors import end_marked
from lararium_daemon.system.sweep import sweep

LOCK_PATIENCE_SECONDS = 0.25
"""Somebody who only looks whether the lock is free holds it for an instant."""
STOP_SECONDS = 15.0
"""How long a daemon may take to obey TERM before it is killed."""
_MAX_LINE_BYTES = 64 * 1024
_FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP) if sys.platform != "win32" else ()


def main(arguments: Sequence[str], serve: Serve, environment: Mapping[str, str]) -> int:
    """Run `_guardian --workspace DIR [--foreground]`; return the exit code."""
    rest = list(arguments)
    foreground = "--foreground" in rest
    if foreground:
        rest.remove("--foreground")
    if len(rest) != 2 or rest[0] != "--workspace":
        say_error("usage", "usage: _guardian --workspace DIR [--foreground]")
        return USAGE
    return run(Path(rest[1]), serve, environment, foreground=foreground)


def run(
    workspace: Path, serve: Serve, environment: Mapping[str, str], *, foreground: bool = False
) -> int:
    """Guard one daemon of `workspace` from start to end; return its exit code.

    One line goes to stdout: what the daemon said when it was ready, or
    `{"error": {"code", "detail"}}`. In the foreground the daemon keeps the terminal's output;
    else it prints into the workspace's `daemon.out`.
    """
    try:
        folder = workspace.resolve()
        paths = _prepare(folder, environment)
        lock = _take(paths)
    except LarariumError as error:
        say_error(error.code, error.detail)
        return exit_code_of(error.code)
    with lock:
        os.chdir(paths.state_dir)
        if sys.platform != "linux":
            ready_fd = os.dup(1)
            if not foreground:
                redirect(open_output(paths.output), 1, 2)
            return serve(
                workspace=folder, lock_fd=lock.descriptor, ready_fd=ready_fd, foreground=foreground
            )
        supervisor = Supervisor(environment if foreground else {})
        return _guard(folder, paths, lock, serve, supervisor, foreground=foreground)


def _prepare(folder: Path, environment: Mapping[str, str]) -> WorkspacePaths:
    folders = resolve_paths(environment)
    ensure_private_dir(folders.state)
    paths = folders.workspace(folder)
    ensure_private_dir(paths.state_dir)
    return paths


def _take(paths: WorkspacePaths) -> HeldLock:
    lock = try_lock(paths.owner_lock, patience_seconds=LOCK_PATIENCE_SECONDS)
    if lock is None:
        raise LarariumError("lock_held", "Another daemon guards this folder.", 409)
    _end_survivors(paths)
    pid = os.getpid()
    note = {"pid": pid, "create_time": start_time(pid), "boot_id": boot_id()}
    lock.write_note(json.dumps(note).encode() + b"\n")
    return lock


def _end_survivors(paths: WorkspacePaths) -> None:
    """End what a killed guardian could not; costs nothing when the last one ended as it should."""
    if not _was_killed(paths.owner_lock):
        return
    ended = end_marked(_mark(paths))
    if ended.processes:
        calls = f" of the calls {', '.join(ended.calls)}" if ended.calls else ""
        log_note(
            paths.log,
            "warning",
            f"{ended.processes} processes{calls} had survived the last guardian, which was killed; "
            "they were ended",
        )


def _was_killed(owner_lock: Path) -> bool:
    """Tell whether the last guardian of this boot has left its note unfinished."""
    try:
        note: Any = json.loads(owner_lock.read_bytes())
        return note["boot_id"] == boot_id()
    except (OSError, ValueError, KeyError, TypeError):
        return False  # none was ever there, or it has ended as it should


def _mark(paths: WorkspacePaths) -> str:
    return f"{OWNER_MARK}={paths.owner_mark}"


def _guard(
    folder: Path,
    paths: WorkspacePaths,
    lock: HeldLock,
    serve: Serve,
    supervisor: Supervisor,
    *,
    foreground: bool,
) -> int:
    become_subreaper()
    name_process(b"lar-guardian")
    output_start = trim_output(paths.output)
    if not foreground:
        redirect(open_output(paths.output), 2)
    ready_read, ready_write = os.pipe()
    # A signal between fork and handler would hit a guardian that does not know its daemon yet.
    signal.pthread_sigmask(signal.SIG_BLOCK, _FORWARDED)
    guardian = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(ready_read)
        run_daemon(
            lambda: serve(
                workspace=folder,
                lock_fd=lock.descriptor,
                ready_fd=ready_write,
                foreground=foreground,
            ),
            guardian=guardian,
            ready_fd=ready_write,
            output=None if foreground else paths.output,
            signals=_FORWARDED,
            mark=_mark(paths),
        )
    os.close(ready_write)
    ward = _Ward(pid)
    ward.listen()
    if not _relay_ready(ready_read, ward, foreground=foreground):
        ward.stop()
        code = ward.wait()
        say_error("daemon_failed", why_ended(paths.output, output_start, code))
    else:
        supervisor.tell("READY=1")
        code = ward.wait()
    supervisor.tell("STOPPING=1")
    ended = sweep()
    lock.write_note(b'{"ended": true}\n')
    note_end(paths.log, code, ended)
    return code if code >= 0 else 128 - code


class _Ward:
    """The daemon, seen from its guardian: told to stop, then made to."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._lives = True

    def listen(self) -> None:
        """Forward what asks the guardian to end."""
        for number in _FORWARDED:
            signal.signal(number, self._on_signal)
        signal.signal(signal.SIGALRM, self._on_alarm)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _FORWARDED)

    def stop(self) -> None:
        """Ask the daemon to end, and end it after `STOP_SECONDS`."""
        if self._lives:
            os.kill(self._pid, signal.SIGTERM)
            if signal.getitimer(signal.ITIMER_REAL)[0] == 0:
                signal.setitimer(signal.ITIMER_REAL, STOP_SECONDS)

    def wait(self) -> int:
        """Reap orphans until the daemon ends; return its exit code, negative for a signal."""
        while True:
            pid, status = os.waitpid(-1, 0)
            if pid == self._pid:
                self._lives = False
                signal.setitimer(signal.ITIMER_REAL, 0)
                return os.waitstatus_to_exitcode(status)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.stop()

    def _on_alarm(self, number: int, frame: FrameType | None) -> None:
        if self._lives:
            os.kill(self._pid, signal.SIGKILL)


def _relay_ready(descriptor: int, ward: _Ward, *, foreground: bool) -> bool:
    """Pass the daemon's one line to stdout; False when it ended without one.

    A starter that goes away before the line is there wants no daemon any more.
    """
    line = b""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    watched = not foreground and _tells_of_its_end(os.fstat(1).st_mode)
    if watched:
        poll.register(1, 0)
    while not line.endswith(b"\n"):
        for ready, event in poll.poll():
            if ready == 1 and event & (select.POLLERR | select.POLLHUP):
                poll.unregister(1)
                ward.stop()
            elif ready == descriptor:
                chunk = os.read(descriptor, _MAX_LINE_BYTES)
                if not chunk:
                    os.close(descriptor)
                    return False
                line += chunk
    os.close(descriptor)
    try:
        write_all(1, line)
    except ConnectionError:
        ward.stop()
    if not foreground:
        redirect(os.open(os.devnull, os.O_WRONLY), 1)
    return True


def _tells_of_its_end(mode: int) -> bool:
    """Tell whether it shows when its reader goes away: a pipe, or a fork server's connection."""
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
