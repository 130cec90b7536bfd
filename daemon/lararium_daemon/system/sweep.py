"""The guardian's last act: nothing that descends from it is left."""

import os
import signal
import time

from lararium_daemon.system.process_table import process_rows, select_descendants, send_signal

GRACE_SECONDS = 2.0
SWEEP_SECONDS = 30.0
"""A process that survives KILL for so long hangs in the kernel; it must not hold the lock."""


def sweep() -> int:
    """End every descendant: TERM once, KILL after the grace; return how many were signalled.

    The caller is a subreaper with one thread: it has no child exactly when nothing is left.
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
