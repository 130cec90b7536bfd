"""Daemons that exist in memory alone, behind the pool's port."""

import threading
from dataclasses import dataclass, field
from pathlib import Path

from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.paths import workspace_id


@dataclass
class FakeDaemon:
    pid: int
    base_url: str
    alive: bool = True
    hub_origin: str = ""
    tickets: int = 0
    refuses: str = ""
    """What it says when it is asked for anything; "" when it works."""
    safe: bool = False
    outdated: str = ""
    silent: bool = False
    runs: int = 0

    def is_alive(self) -> bool:
        return self.alive

    def is_silent(self) -> bool:
        return self.silent

    def set_hub_origin(self, origin: str) -> None:
        self._check()
        self.hub_origin = origin

    def mint_ticket(self) -> str:
        self._check()
        self.tickets += 1
        return f"ticket-{self.tickets}"

    def _check(self) -> None:
        if self.refuses:
            raise LarariumError("unreachable", self.refuses, 502)


@dataclass
class FakeDaemons:
    """Starts a fake daemon per folder; a test kills, breaks or hides them."""

    running: dict[WorkspaceId, FakeDaemon] = field(default_factory=dict[WorkspaceId, FakeDaemon])
    starts: int = 0
    fails: str = ""
    """Why the next starts fail; "" when they work."""
    starting: threading.Event = field(default_factory=threading.Event)
    """Set once a start has begun."""
    may_start: threading.Event | None = None
    """When given, a start waits for it."""
    finding: threading.Event = field(default_factory=threading.Event)
    """Set once a daemon has been asked who it is."""
    may_find: threading.Event | None = None
    """When given, its answer waits for it."""
    crashed: set[WorkspaceId] = field(default_factory=set[WorkspaceId])

    def start(self, folder: Path, *, safe: bool = False) -> FakeDaemon:
        if self.fails:
            raise LarariumError("start_failed", self.fails, 502)
        known = self.running.get(workspace_id(folder))
        if known is not None:
            return known
        self.starts += 1
        self.starting.set()
        if self.may_start is not None and not self.may_start.wait(10):
            raise TimeoutError
        port = 5000 + self.starts
        daemon = FakeDaemon(pid=port, base_url=f"http://127.0.0.1:{port}", safe=safe)
        self.running[workspace_id(folder)] = daemon
        return daemon

    def may_run(self, workspace: WorkspaceId) -> bool:
        return workspace in self.running

    def retire(self, workspace: WorkspaceId) -> int:
        runs = self.running[workspace].runs
        if runs == 0:
            self.stop(workspace)
        return runs

    def find(self, workspace: WorkspaceId) -> FakeDaemon | None:
        self.finding.set()
        if self.may_find is not None and not self.may_find.wait(10):
            raise TimeoutError
        return self.running.get(workspace)

    def stop(self, workspace: WorkspaceId) -> None:
        daemon = self.running.pop(workspace, None)
        if daemon is not None:
            daemon.alive = False

    def has_crashed(self, workspace: WorkspaceId) -> bool:
        return workspace in self.crashed

    def log_tail(self, workspace: WorkspaceId) -> list[str]:
        return [f"last words of {workspace}"]

    def end(self, workspace: WorkspaceId, *, crashed: bool) -> None:
        """End a daemon from outside."""
        self.stop(workspace)
        if crashed:
            self.crashed.add(workspace)
