"""Ending what a tool call started, and waiting for a process without its pipes.

The end of a process is its pidfd, never the end of a pipe: a background child holds the pipe for
as long as it likes. A call is ended as its session, then everything that carries its mark, then
all descendants of these, so that neither `setsid` nor a cleared environment alone escapes; what
does both after losing its parent is left to the guardian at the daemon's end.
"""

import os
import signal
import sys
import time

import anyio
from anyio import to_thread

from lararium_daemon.system.environment import CALL_MARK
from lararium_daemon.system.process_table import (
    ProcessRow,
    carries_mark,
    process_rows,
    select_ancestors,
    select_descendants,
    select_tree,
    send_signal,
    start_time,
)

GRACE_SECONDS = 2.0
_KILL_SECONDS = 5.0
"""A process that survives KILL for so long hangs in the kernel: nothing more can be done."""
_FIRST_LOOK_SECONDS, _LOOK_SECONDS = 0.01, 0.05


async def end_tree(pid: int, *, mark: str, grace_seconds: float = GRACE_SECONDS) -> None:
    """End a call's processes: TERM, then KILL after `grace_seconds`; return when they are gone.

    Finishes even when the caller is cancelled, within `grace_seconds` + 5 s.

    Args:
        pid: The call's first process, the leader of a session of its own. The caller has not
            reaped it yet, or its number may by now be somebody else's.
        mark: The call's id, as in the environment variable `LARARIUM_CALL`.
        grace_seconds: How long a process may take to obey TERM.
    """
    with anyio.CancelScope(shield=True):
        await to_thread.run_sync(_end_tree, pid, f"{CALL_MARK}={mark}", grace_seconds)


async def end_descendants(grace_seconds: float = GRACE_SECONDS) -> None:
    """End everything below this process, as `end_tree` does."""
    with anyio.CancelScope(shield=True):
        await to_thread.run_sync(_end, _Hunt(None, None), grace_seconds)


async def wait_exit(pid: int) -> None:
    """Wait, without limit, until the process has ended; it is not reaped.

    Linux: by pidfd. Elsewhere (not run there) by looking every 50 ms.
    """
    if sys.platform != "linux":
        while start_time(pid) is not None:  # noqa: ASYNC110 - no event tells of it there
            await anyio.sleep(_LOOK_SECONDS)
        return
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        await anyio.wait_readable(descriptor)
    finally:
        os.close(descriptor)


class _Hunt:
    """What is left of a tree; remembers what it saw, because a parent's end hides its children."""

    def __init__(self, leader: int | None, mark: str | None) -> None:
        self._leader = leader
        self._mark = mark
        self._known: set[tuple[int, float]] = set()

    def look(self) -> set[ProcessRow]:
        rows = list(process_rows())
        if self._leader is None:
            chosen = select_descendants(rows, {os.getpid()})
        else:
            self._find_marked(rows)
            # This process and those above it are never to be ended, whatever they carry.
            chosen = select_tree(rows, self._leader, self._known)
            chosen -= select_ancestors(rows, os.getpid())
        self._known |= {(row.pid, row.start) for row in chosen}
        return chosen

    def _find_marked(self, rows: list[ProcessRow]) -> None:
        mark = self._mark
        if mark is not None:
            self._known |= {(row.pid, row.start) for row in rows if carries_mark(row.pid, mark)}


def _end_tree(pid: int, mark: str, grace_seconds: float) -> None:
    _end(_Hunt(pid, mark), grace_seconds)


def _end(hunt: _Hunt, grace_seconds: float) -> None:
    """TERM once each, then KILL what is left and what appears, until nothing is found.

    Nothing must be found twice: a process that is born while its parent dies may be overlooked.
    """
    termed: set[ProcessRow] = set()
    pause = _FIRST_LOOK_SECONDS
    started = time.monotonic()
    while left := hunt.look() or hunt.look():
        elapsed = time.monotonic() - started
        if elapsed > grace_seconds + _KILL_SECONDS:
            return
        patient = elapsed < grace_seconds
        for row in left - termed if patient else left:
            send_signal(row.pid, row.start, signal.SIGTERM if patient else _KILL)
        termed |= left
        time.sleep(pause)
        pause = min(pause * 2, _LOOK_SECONDS)


_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL
"""On Windows (not run there) TERM already is TerminateProcess."""
