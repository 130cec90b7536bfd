"""The daemons of this machine, behind the pool's port: found, started and stopped by the client."""

import time
from collections.abc import Mapping
from pathlib import Path

from lararium_daemon import __version__
from lararium_daemon.client.find import (
    Absence,
    DaemonHandle,
    describes_living,
    find_daemon,
    look_for_daemon,
)
from lararium_daemon.client.start import TakeSpare, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.client.versions import is_older
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.environment import SAFE_START
from lararium_daemon.system.heartbeat import read_heartbeat
from lararium_daemon.system.paths import Paths, WorkspacePaths
from lararium_daemon.system.process_table import boot_id
from lararium_daemon.system.runtime import read_runtime

LOG_LINES = 12
OUTPUT_LINES = 8
TAIL_BYTES = 16 * 1024
MAX_LINE_CHARS = 2_000


class LocalDaemon:
    """A running daemon that has proved itself."""

    def __init__(self, handle: DaemonHandle, paths: WorkspacePaths) -> None:
        self._handle = handle
        self._paths = paths

    @property
    def base_url(self) -> str:
        """Where it listens: its page's origin."""
        return self._handle.base_url

    @property
    def pid(self) -> int:
        """Its process."""
        return self._handle.pid

    def is_alive(self) -> bool:
        """Whether its process is still the one that proved itself."""
        return self._handle.is_alive()

    @property
    def outdated(self) -> str:
        """Its version where that is older than this program's; else ""."""
        version = self._handle.app_version
        return version if is_older(version, __version__) else ""

    @property
    def safe(self) -> bool:
        """Whether it was started safely."""
        return self._handle.safe

    def is_silent(self) -> bool:
        """Whether its last sign of life is too old."""
        heartbeat = read_heartbeat(self._paths.heartbeat)
        return heartbeat is not None and heartbeat.is_stale(
            now_ns=time.monotonic_ns(), boot=boot_id()
        )

    def set_hub_origin(self, origin: str) -> None:
        """Let that origin frame its page. Raises LarariumError."""
        self._handle.client().request("PUT", "/api/auth/hub-origin", {"origin": origin})

    def mint_ticket(self) -> str:
        """Get a single-use ticket for its page. Raises LarariumError."""
        answer = self._handle.client().request("POST", "/api/auth/tickets", {"purpose": "ui"})
        return str(answer["ticket"])


class LocalDaemons:
    """Starts, finds and stops daemons. Its calls block."""

    def __init__(
        self, paths: Paths, environment: Mapping[str, str], take_spare: TakeSpare | None = None
    ) -> None:
        """`take_spare` gives a process that waits, with the same environment, to be a daemon."""
        self._paths = paths
        self._environment = environment
        self._take_spare = take_spare

    def start(self, folder: Path, *, safe: bool = False) -> LocalDaemon:
        """Start or find the daemon of a folder. Raises LarariumError."""
        environment = dict(self._environment)
        environment.pop(SAFE_START, None)
        if safe:
            environment[SAFE_START] = "1"
        take_spare = None if safe else self._take_spare  # a spare was started as any daemon is
        started = start_daemon(folder, environment, take_spare=take_spare)
        return LocalDaemon(started.handle, self._of(started.workspace_id))

    def may_run(self, workspace: WorkspaceId) -> bool:
        """Whether the process of a daemon runs, proved or not."""
        record = read_runtime(self._of(workspace).daemon_json)
        return record is not None and describes_living(record)

    def find(self, workspace: WorkspaceId) -> LocalDaemon | None:
        """Find a running daemon; None when there is none that proves itself.

        Raises:
            LarariumError: `other_api_version`.
        """
        paths = self._of(workspace)
        handle = find_daemon(paths)
        return None if handle is None else LocalDaemon(handle, paths)

    def retire(self, workspace: WorkspaceId) -> int:
        """Let it end after its runs; give how many it has. Raises LarariumError."""
        paths = self._of(workspace)
        handle = find_daemon(paths)
        if handle is None:
            return 0
        if handle.api_version.knows("drain"):
            answer = handle.client().request("POST", "/api/drain", {"when": "idle"})
        else:  # it can only be let alone until it is idle
            answer = handle.client().request("GET", "/api/status")
        running = int(answer["running"])
        if running == 0:
            stop_daemon(paths)
        return running

    def stop(self, workspace: WorkspaceId) -> None:
        """Stop it and its tools; no daemon is no error. Raises LarariumError."""
        stop_daemon(self._of(workspace))

    def has_crashed(self, workspace: WorkspaceId) -> bool:
        """Whether the last daemon ended without taking its record with it."""
        try:
            return look_for_daemon(self._of(workspace)) is Absence.STALE
        except LarariumError:
            return False

    def log_tail(self, workspace: WorkspaceId) -> list[str]:
        """Give the last lines of its log and of what it printed; [] when there is neither."""
        paths = self._of(workspace)
        return [*_tail(paths.log, LOG_LINES), *_tail(paths.output, OUTPUT_LINES)]

    def _of(self, workspace: WorkspaceId) -> WorkspacePaths:
        return WorkspacePaths(self._paths.state / workspace)


def _tail(path: Path, lines: int) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(0, file.tell() - TAIL_BYTES))
            text = file.read(TAIL_BYTES).decode("utf-8", "replace")
    except OSError:
        return []
    found = [line[:MAX_LINE_CHARS] for line in text.splitlines() if line.strip()]
    return found[-lines:]
