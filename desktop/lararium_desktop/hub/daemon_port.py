"""What the pool needs of daemons: the port behind which processes, files and HTTP lie."""

from pathlib import Path
from typing import Protocol

from lararium_daemon.protocol.ids import WorkspaceId


class Daemon(Protocol):
    """A running daemon that has proved itself. Its calls block."""

    @property
    def base_url(self) -> str:
        """Where it listens: its page's origin."""
        ...

    @property
    def pid(self) -> int:
        """Its process."""
        ...

    @property
    def outdated(self) -> str:
        """Its version where that is older than this program's; else ""."""
        ...

    @property
    def safe(self) -> bool:
        """Whether it was started safely: it uses nothing that the project brings."""
        ...

    def is_alive(self) -> bool:
        """Whether its process is still the one that proved itself; must not raise."""
        ...

    def is_silent(self) -> bool:
        """Whether it has given no sign of life for too long; must not raise."""
        ...

    def set_hub_origin(self, origin: str) -> None:
        """Let that origin frame the daemon's page. Raises LarariumError."""
        ...

    def mint_ticket(self) -> str:
        """Get a single-use ticket for its page. Raises LarariumError."""
        ...


class Daemons(Protocol):
    """Starts, finds and stops the daemons of this machine. Its calls block."""

    def start(self, folder: Path, *, safe: bool = False) -> Daemon:
        """Start or find the daemon of a folder. Raises LarariumError."""
        ...

    def may_run(self, workspace: WorkspaceId) -> bool:
        """Whether the process of a daemon runs, proved or not; quick, must not raise."""
        ...

    def find(self, workspace: WorkspaceId) -> Daemon | None:
        """Find a running daemon; None when there is none that proves itself.

        Raises:
            LarariumError: it is ours and cannot be spoken to.
        """
        ...

    def stop(self, workspace: WorkspaceId) -> None:
        """Stop it and its tools; no daemon is no error. Raises LarariumError."""
        ...

    def retire(self, workspace: WorkspaceId) -> int:
        """Let it take no message any more and end after its runs; give how many it has.

        With none it is gone when this returns. Raises LarariumError.
        """
        ...

    def has_crashed(self, workspace: WorkspaceId) -> bool:
        """Whether the last daemon ended without taking its runtime file with it."""
        ...

    def log_tail(self, workspace: WorkspaceId) -> list[str]:
        """Give the last lines of its log; must not raise."""
        ...
