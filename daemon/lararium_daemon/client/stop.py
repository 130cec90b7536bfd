"""Stop the daemon of a workspace with everything its tools have started.

Whom to signal is decided by identity, never by a number alone: the daemon that wrote
`daemon.json`, else the guardian that left its note in the owner lock, and only while that lock is
held. Stopped means that the lock is free.
"""

import json
import signal
import sys
import time
from typing import Any, NamedTuple

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.find import describes_living, find_daemon
from lararium_daemon.client.guardian import reap_guardians
from lararium_daemon.client.versions import check_knows
from lararium_daemon.system.locks import is_locked
from lararium_daemon.system.paths import WorkspacePaths
from lararium_daemon.system.process_table import boot_id, is_alive, process_rows, send_signal
from lararium_daemon.system.runtime import read_runtime, remove_runtime

STOP_SECONDS = 10.0
"""How long a daemon may take to obey TERM."""
KILL_SECONDS = 10.0
"""How long the guardian may take to end what a killed daemon left behind."""
_PAUSE_SECONDS = 0.02
_MAX_NOTE_BYTES = 1024
Identity = tuple[int, float]
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL


class StopResult(NamedTuple):
    """How a stop ended. The daemon is gone in every case."""

    was_running: bool
    timed_out: bool = False
    """It did not obey and was killed."""


def stop_daemon(paths: WorkspacePaths, *, timeout_seconds: float = STOP_SECONDS) -> StopResult:
    """Stop the daemon and wait until nothing of the workspace runs any more.

    Raises:
        ClientError: `stop_failed` when it survives even KILL, or when nobody can be found who
            holds the lock.
    """
    if not is_locked(paths.owner_lock):
        return StopResult(was_running=False)
    if _end(paths, signal.SIGTERM, timeout_seconds):
        return StopResult(was_running=True)
    guid = _guid(paths)
    if not _end(paths, _KILL, KILL_SECONDS):
        raise ClientError(
            "stop_failed",
            f"The daemon of this folder cannot be ended; {paths.owner_lock} is still held.",
        )
    remove_runtime(paths, guid)
    return StopResult(was_running=True, timed_out=True)


def drain_daemon(paths: WorkspacePaths) -> int | None:
    """Let the daemon take no message any more and stop once nothing runs; return at once.

    Returns:
        How many sessions still run; None when there is no daemon.

    Raises:
        ClientError: `older_daemon`, or as `DaemonClient.request`.
    """
    daemon = find_daemon(paths)
    if daemon is None:
        return None
    check_knows(daemon.api_version, "drain", daemon.app_version)
    return int(daemon.client().request("POST", "/api/drain", {"when": "idle"})["running"])


def _end(paths: WorkspacePaths, number: signal.Signals, seconds: float) -> bool:
    """Signal whom it concerns once known, and wait for the lock; False when time is over.

    A start may be under way: then the daemon becomes known, or another one, while this waits.
    """
    signalled: set[Identity] = set()
    give_up = time.monotonic() + seconds
    while time.monotonic() < give_up:
        targets = _targets(paths, kill=number == _KILL) - signalled
        for target in targets:
            send_signal(*target, number)
        signalled |= targets
        time.sleep(_PAUSE_SECONDS)
        reap_guardians()
        if not is_locked(paths.owner_lock):
            return True
    return False


def _targets(paths: WorkspacePaths, *, kill: bool) -> set[Identity]:
    """Return the daemon; while it is not known, its guardian, or to kill what that has below.

    A guardian is never killed: it is the one that ends what the daemon leaves behind.
    """
    record = read_runtime(paths.daemon_json)
    if record is not None and describes_living(record):
        return {(record.pid, record.pid_create_time)}
    guardian = _note(paths)
    if guardian is None:
        return set()
    if not kill or sys.platform != "linux":
        return {guardian}
    return {(row.pid, row.start) for row in process_rows() if row.parent == guardian[0]}


def _note(paths: WorkspacePaths) -> Identity | None:
    """Return who left its note in the owner lock, if it still runs."""
    try:
        with paths.owner_lock.open("rb") as file:
            note: Any = json.loads(file.read(_MAX_NOTE_BYTES))
        pid, start, boot = int(note["pid"]), float(note["create_time"]), note["boot_id"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return (pid, start) if boot == boot_id() and is_alive(pid, start) else None


def _guid(paths: WorkspacePaths) -> str:
    record = read_runtime(paths.daemon_json)
    return "" if record is None else record.guid
