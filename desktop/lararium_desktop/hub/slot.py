"""What the pool knows of one workspace, and what a glance at it may find."""

from dataclasses import dataclass, field
from typing import Literal

import anyio

from lararium_daemon.protocol.hub import Workspace, WorkspaceState
from lararium_desktop.hub.daemon_port import Daemon, Daemons
from lararium_desktop.hub.folders import problem_of
from lararium_desktop.hub.registry import Entry
from lararium_desktop.hub.restart_budget import RestartBudget

Finding = Literal["well", "silent", "gone", "there", "none"]


@dataclass
class Slot:
    """The daemon of one workspace, as the pool sees it."""

    state: WorkspaceState = "stopped"
    problem: str = ""
    log_tail: list[str] = field(default_factory=list[str])
    daemon: Daemon | None = None
    retiring: bool = False
    """It is outdated and ends after its runs; another one follows it."""
    budget: RestartBudget = field(default_factory=RestartBudget)
    busy: anyio.Lock = field(default_factory=anyio.Lock)

    def describe(self, entry: Entry) -> Workspace:
        """Give the workspace as the hub's API shows it."""
        daemon = self.daemon
        return Workspace(
            id=entry.id,
            name=entry.name,
            path=entry.path,
            pinned=entry.pinned,
            sample=entry.sample,
            state=self.state,
            pid=daemon.pid if daemon else None,
            base_url=daemon.base_url if daemon else None,
            safe=daemon.safe if daemon else False,
            outdated=daemon.outdated if daemon else "",
            problem=self.problem,
            log_tail=self.log_tail,
        )


@dataclass(frozen=True)
class Glance:
    """What a quick look found: `there` may be a daemon, `none` is surely none."""

    entry: Entry
    slot: Slot
    daemon: Daemon | None
    """The one that was looked at."""
    finding: Finding
    problem: str = ""
    """Why the folder cannot be opened; only where there is no daemon."""

    @property
    def is_current(self) -> bool:
        """Whether nothing has happened to the workspace since."""
        return self.slot.daemon is self.daemon and not self.slot.busy.locked()


def glance(daemons: Daemons, entry: Entry, slot: Slot) -> Glance:
    """Look without asking anybody; blocks for well under a millisecond."""
    daemon = slot.daemon
    if daemon is not None:
        if not daemon.is_alive():
            return Glance(entry, slot, daemon, "gone")
        return Glance(entry, slot, daemon, "silent" if daemon.is_silent() else "well")
    if daemons.may_run(entry.id):
        return Glance(entry, slot, None, "there")
    return Glance(entry, slot, None, "none", problem_of(entry.path))
