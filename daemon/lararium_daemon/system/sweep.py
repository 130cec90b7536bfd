"""The last act of a guardian, or of a daemon without one: nothing below it is left."""

import os
import signal
import time

from lararium_daemon.system.process_table import process_rows, select_descendants, send_signal

GRACE_SECONDS = 2.0
SWEEP_SECONDS = 30.0
"""A process that survives KILL for so long hangs in the kernel; it must not hold the lock."""


def sweep() -> int:
    """End every descendant: TERM once, KILL after the grace; return how many were signalled.

    A guardian, as a subreaper, has no child exactly when nothing is left; no thread of the caller
    may be waiting for a child of its own.
    """
    started = time.monotonic()
    signalled: set[tuple[int, float]] = set()
    pause = 0.005
    while _reap() and time.monotonic() - started < SWEEP_SECONDS:
        patient = time.monotonic() - started < GRACE_SECONDS
        for row in select_descendants(process_rows(), {os.getpid()}):
            identity = (row.pid, row.start)
            if not patient or identity not in signalled:
                send_signal(*identity, signal.SIGTERM if patient else signal.SIGKILL)
            signalled.add(identity)
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return len(signalled)


def _reap() -> bool:
    """Take the ended children; False when there is no child any more, so no descendant either."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True
