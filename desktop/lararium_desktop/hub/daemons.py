"""The daemons of this machine, behind the pool's port: found, started and stopped by the client."""

import logging
from collections.abc import Mapping
from pathlib import Path

from lararium_daemon.client.find import Absence, DaemonHandle, find_daemon, look_for_daemon
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.paths import Paths, WorkspacePaths

logger = logging.getLogger(__name__)

LOG_LINES = 12
OUTPUT_LINES = 8
TAIL_BYTES = 16 * 1024
MAX_LINE_CHARS = 2_000


class LocalDaemon:
    """A running daemon that has proved itself."""

    def __init__(self, handle: DaemonHandle) -> None:
        self._handle = handle

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

    def set_hub_origin(self, origin: str) -> None:
        """Let that origin frame its page. Raises LarariumError."""
        self._handle.client().request("PUT", "/api/auth/hub-origin", {"origin": origin})

    def mint_ticket(self) -> str:
        """Get a single-use ticket for its page. Raises LarariumError."""
        answer = self._handle.client().request("POST", "/api/auth/tickets", {"purpose": "ui"})
        return str(answer["ticket"])


class LocalDaemons:
    """Starts, finds and stops daemons. Its calls block."""

    def __init__(self, paths: Paths, environment: Mapping[str, str]) -> None:
        self._paths = paths
        self._environment = environment

    def start(self, folder: Path) -> LocalDaemon:
        """Start or find the daemon of a folder. Raises LarariumError."""
        return LocalDaemon(start_daemon(folder, self._environment).handle)

    def find(self, workspace: WorkspaceId) -> LocalDaemon | None:
        """Find a running daemon; None when there is none that proves itself and is understood."""
        try:
            handle = find_daemon(self._of(workspace))
        except LarariumError as error:
            logger.warning("The daemon of %s cannot be used: %s", workspace, error.detail)
            return None
        return None if handle is None else LocalDaemon(handle)

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
