"""The forked child of a guardian, from fork to end: made a process of its own, then the daemon.

Linux only. The guardian's one thread makes it safe to tie the child's life to its parent's.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Protocol

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.exit_codes import INTERNAL, exit_code_of
from lararium_daemon.system.runtime import announce_error
from lararium_daemon.system.survivors import end_marked
from lararium_daemon.system.sweep import sweep

_PR_SET_PDEATHSIG, _PR_SET_NAME, _PR_SET_CHILD_SUBREAPER = 1, 15, 36


class Serve(Protocol):
    """The daemon itself."""

    def __call__(
        self, *, workspace: Path, lock_fd: int | None, ready_fd: int | None, foreground: bool
    ) -> int:
        """Serve until told to stop (TERM); return the exit code.

        Writes one line to `ready_fd` when it listens or cannot, and closes it. Owns `lock_fd` and
        keeps it open until the end.
        """
        ...


def become_subreaper() -> None:
    """Make every descendant that loses its parent a child of this process."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def name_process(name: bytes) -> None:
    """Set the name that process lists show, at most 15 bytes."""
    _prctl(_PR_SET_NAME, name)


def run_daemon(
    call: Callable[[], int],
    *,
    guardian: int,
    ready_fd: int,
    output: Path | None,
    signals: Sequence[signal.Signals],
    mark: str,
) -> NoReturn:
    """Make the forked child a process of its own, run the daemon in it, and end it.

    The child gets TERM when its guardian dies. `signals` were blocked and are as new. With
    `output` it lets go of the terminal and prints there. What it starts carries `mark`
    (`NAME=value`). Never returns: the stack below belongs to the guardian.
    """
    pipe = os.fstat(ready_fd)
    code = INTERNAL
    try:
        _separate(guardian, output, signals)
        code = call()
        if os.getppid() != guardian:  # nobody is left to end what the tools have started
            sweep()
            end_marked(mark)
    except LarariumError as error:
        code = exit_code_of(error.code)
        sys.stderr.write(f"{error.code}: {error.detail}\n")
        if _is_open(ready_fd, pipe):
            announce_error(ready_fd, error.code, error.detail)
    except SystemExit as exit_:
        code = exit_.code if isinstance(exit_.code, int) else INTERNAL
    except BaseException:  # noqa: BLE001 - the top of the daemon's process
        import traceback  # the guardian never needs it

        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)


def _separate(guardian: int, output: Path | None, signals: Sequence[signal.Signals]) -> None:
    _prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != guardian:  # it died before the line above
        raise SystemExit(INTERNAL)
    os.setsid()
    name_process(b"lar-daemon")
    for number in signals:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals)
    if output is not None:
        redirect(os.open(os.devnull, os.O_RDONLY), 0)
        redirect(open_output(output), 1, 2)


def open_output(path: Path) -> int:
    """Open the file that takes what the daemon and its guardian print; appends, private."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, 0o600)


def _is_open(descriptor: int, before: os.stat_result) -> bool:
    """Tell whether the number still means that pipe: the daemon may have closed it."""
    try:
        now = os.fstat(descriptor)
    except OSError:
        return False
    return (now.st_dev, now.st_ino) == (before.st_dev, before.st_ino)


def redirect(source: int, *targets: int) -> None:
    """Make `targets` what `source` is, and close that."""
    for target in targets:
        os.dup2(source, target)
    if source not in targets:
        os.close(source)


def _prctl(option: int, value: int | bytes) -> None:
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    argument = ctypes.c_char_p(value) if isinstance(value, bytes) else ctypes.c_ulong(value)
    if prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}")
