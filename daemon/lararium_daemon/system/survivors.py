"""Ends what a daemon has started and nobody guards any more, found by the mark it carries.

For the daemon whose guardian was killed, and for the next guardian, before it starts anything. A
process that has cleared its environment *and* lost its parent cannot be told from a stranger's,
and is left alone. Standard library alone on Linux.
"""

import os
import signal
import sys
import time
from typing import NamedTuple

from lararium_daemon.system.environment import CALL_MARK
from lararium_daemon.system.process_table import (
    ProcessRow,
    carries_mark,
    mark_of,
    process_rows,
    select_ancestors,
    select_tree,
    send_signal,
)

GRACE_SECONDS = 2.0
END_SECONDS = 10.0
"""A process that survives KILL for so long hangs in the kernel."""
_PAUSE_SECONDS = 0.02
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL


class Ended(NamedTuple):
    """What was found and ended."""

    processes: int
    calls: list[str]
    """The tool calls that had started it, as far as it says so."""


def end_marked(mark: str) -> Ended:
    """End every process that carries `NAME=value`, with what is below it; bounded.

    TERM once, KILL after the grace. This process and those above it are spared, whatever they
    carry. Blocks.
    """
    known: set[tuple[int, float]] = set()
    calls: set[str] = set()
    started = time.monotonic()
    while left := _find(mark, known) or _find(mark, known):  # none may be born unseen
        elapsed = time.monotonic() - started
        if elapsed > END_SECONDS:
            break
        patient = elapsed < GRACE_SECONDS
        for row in left:
            identity = (row.pid, row.start)
            if patient and identity in known:
                continue
            if call := mark_of(row.pid, CALL_MARK):
                calls.add(call)
            send_signal(*identity, signal.SIGTERM if patient else _KILL)
            known.add(identity)
        time.sleep(_PAUSE_SECONDS)
    return Ended(len(known), sorted(calls))


def _find(mark: str, known: set[tuple[int, float]]) -> set[ProcessRow]:
    rows = list(process_rows())
    seeds = known | {(row.pid, row.start) for row in rows if carries_mark(row.pid, mark)}
    return select_tree(rows, None, seeds) - select_ancestors(rows, os.getpid())
