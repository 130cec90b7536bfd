"""The pool: which daemon guards which workspace, and in which state each workspace is.

The pool starts, adopts and stops daemons; it owns no process: a daemon outlives the hub, and one
that somebody else started is adopted. A sweep looks at every workspace each two seconds. What
blocks (processes, files, HTTP) happens behind `Daemons`, in worker threads; one start or stop a
workspace at a time.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import anyio
from anyio import to_thread

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace, WorkspaceOpened, WorkspaceState
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.hub.folders import problem_of
from lararium_desktop.hub.registry import Entry, Registry

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0


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

    def is_alive(self) -> bool:
        """Whether its process is still the one that proved itself; must not raise."""
        ...

    def set_hub_origin(self, origin: str) -> None:
        """Let that origin frame the daemon's page. Raises LarariumError."""
        ...

    def mint_ticket(self) -> str:
        """Get a single-use ticket for its page. Raises LarariumError."""
        ...


class Daemons(Protocol):
    """Starts, finds and stops the daemons of this machine. Its calls block."""

    def start(self, folder: Path) -> Daemon:
        """Start or find the daemon of a folder. Raises LarariumError."""
        ...

    def find(self, workspace: WorkspaceId) -> Daemon | None:
        """Find a running daemon; None when there is none that proves itself."""
        ...

    def stop(self, workspace: WorkspaceId) -> None:
        """Stop it and its tools; no daemon is no error. Raises LarariumError."""
        ...

    def has_crashed(self, workspace: WorkspaceId) -> bool:
        """Whether the last daemon ended without taking its runtime file with it."""
        ...

    def log_tail(self, workspace: WorkspaceId) -> list[str]:
        """Give the last lines of its log; must not raise."""
        ...


@dataclass
class _Slot:
    state: WorkspaceState = "stopped"
    problem: str = ""
    log_tail: list[str] = field(default_factory=list[str])
    daemon: Daemon | None = None
    busy: anyio.Lock = field(default_factory=anyio.Lock)


class Pool:
    """The state of every registered workspace."""

    def __init__(
        self,
        registry: Registry,
        daemons: Daemons,
        hub_origin: Callable[[], str],
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called after each change of a state; it must not block."""
        self._registry = registry
        self._daemons = daemons
        self._hub_origin = hub_origin
        self._changed = changed
        self._entries: Sequence[Entry] = ()
        self._slots: dict[WorkspaceId, _Slot] = {}

    def workspaces(self) -> list[Workspace]:
        """Give what is known now, in the person's order."""
        return [self._describe(entry) for entry in self._entries]

    def origins(self) -> frozenset[str]:
        """Give the origins whose pages the hub's page may embed now."""
        known = (self._slot(entry.id).daemon for entry in self._entries)
        return frozenset(daemon.base_url for daemon in known if daemon is not None)

    async def run(self) -> None:
        """Look at every workspace again and again, until cancelled."""
        while True:
            await self.refresh()
            await anyio.sleep(SWEEP_SECONDS)

    async def refresh(self) -> None:
        """Read the registry and look at every workspace once, side by side."""
        before = self.workspaces()
        try:
            self._entries = await to_thread.run_sync(self._registry.entries)
        except (LarariumError, OSError):
            logger.exception("Reading the list of projects failed")
        async with anyio.create_task_group() as group:
            for entry in self._entries:
                group.start_soon(self._look, entry)
        if self.workspaces() != before:
            self._changed()

    async def open(self, workspace: WorkspaceId) -> WorkspaceOpened:
        """Start or wake the daemon, and give the address of its page with a one-time ticket.

        Raises:
            LarariumError: `unknown_workspace`, what `inspect_folder` says of a folder that is not
                there any more, or why the daemon did not start.
        """
        entry = await self._entry(workspace)
        slot = self._slot(workspace)
        async with slot.busy:
            daemon = await self._running(entry, slot)
            try:
                ticket = await to_thread.run_sync(_admit, daemon, self._hub_origin())
            except LarariumError as error:
                await self._fail(workspace, slot, error.detail)
                raise
            self._settle(slot, "ready", daemon)
        return WorkspaceOpened(
            base_url=daemon.base_url, page_url=f"{daemon.base_url}/#t={ticket}", state=slot.state
        )

    async def stop(self, workspace: WorkspaceId) -> None:
        """Stop the daemon with its tools.

        Raises:
            LarariumError: `unknown_workspace`, or why it did not stop.
        """
        await self._entry(workspace)
        slot = self._slot(workspace)
        async with slot.busy:
            await to_thread.run_sync(self._daemons.stop, workspace)
            self._settle(slot, "stopped")

    async def restart(self, workspace: WorkspaceId) -> WorkspaceOpened:
        """Stop the daemon, then open the workspace again. Raises as `stop` and `open` do."""
        await self.stop(workspace)
        return await self.open(workspace)

    async def stop_all(self) -> list[str]:
        """Stop every daemon side by side; give a sentence for each that did not stop."""
        problems: list[str] = []

        async def stop(entry: Entry) -> None:
            try:
                await self.stop(entry.id)
            except LarariumError as error:
                problems.append(f"{entry.name}: {error.detail}")

        await self.refresh()
        async with anyio.create_task_group() as group:
            for entry in self._entries:
                group.start_soon(stop, entry)
        return problems

    async def _entry(self, workspace: WorkspaceId) -> Entry:
        """Find an entry, also one that another process has registered since the last sweep."""
        entry = await to_thread.run_sync(self._registry.get, workspace)
        if all(known.id != workspace for known in self._entries):
            self._entries = [*self._entries, entry]
        return entry

    async def _running(self, entry: Entry, slot: _Slot) -> Daemon:
        if slot.daemon is not None and await to_thread.run_sync(slot.daemon.is_alive):
            return slot.daemon
        problem = await to_thread.run_sync(problem_of, entry.path)
        if problem:
            self._settle(slot, "missing", problem=problem)
            raise LarariumError("folder_missing", problem, 409)
        self._settle(slot, "starting")
        try:
            return await to_thread.run_sync(self._daemons.start, Path(entry.path))
        except LarariumError as error:
            await self._fail(entry.id, slot, error.detail)
            raise

    async def _look(self, entry: Entry) -> None:
        slot = self._slot(entry.id)
        if slot.busy.locked():
            return
        async with slot.busy:
            if slot.daemon is not None and await to_thread.run_sync(slot.daemon.is_alive):
                return
            had_one = slot.daemon is not None
            found = await to_thread.run_sync(self._daemons.find, entry.id)
            if found is not None:
                self._settle(slot, "ready", found)
            elif had_one:
                await self._mourn(entry, slot)
            else:
                problem = await to_thread.run_sync(problem_of, entry.path)
                self._note_folder(slot, problem)

    async def _mourn(self, entry: Entry, slot: _Slot) -> None:
        """Tell a daemon that stopped for idleness from one that crashed."""
        if not await to_thread.run_sync(self._daemons.has_crashed, entry.id):
            self._settle(slot, "asleep")
            return
        tail = await to_thread.run_sync(self._daemons.log_tail, entry.id)
        self._settle(
            slot,
            "crashed",
            problem=f"The daemon of {entry.name} stopped without being asked to. Its sessions are "
            "on disk; what was running is shown as interrupted when it starts again.",
            log_tail=tail,
        )

    def _note_folder(self, slot: _Slot, problem: str) -> None:
        if problem:
            self._settle(slot, "missing", problem=problem)
        elif slot.state == "missing":
            self._settle(slot, "stopped")

    async def _fail(self, workspace: WorkspaceId, slot: _Slot, problem: str) -> None:
        tail = await to_thread.run_sync(self._daemons.log_tail, workspace)
        self._settle(slot, "crashed", problem=problem, log_tail=tail)

    def _settle(
        self,
        slot: _Slot,
        state: WorkspaceState,
        daemon: Daemon | None = None,
        *,
        problem: str = "",
        log_tail: Sequence[str] = (),
    ) -> None:
        changed = slot.state != state or slot.daemon is not daemon or slot.problem != problem
        slot.state, slot.daemon, slot.problem = state, daemon, problem
        slot.log_tail = list(log_tail)
        if changed:
            self._changed()

    def _slot(self, workspace: WorkspaceId) -> _Slot:
        return self._slots.setdefault(workspace, _Slot())

    def _describe(self, entry: Entry) -> Workspace:
        slot = self._slot(entry.id)
        return Workspace(
            id=entry.id,
            name=entry.name,
            path=entry.path,
            pinned=entry.pinned,
            sample=entry.sample,
            state=slot.state,
            pid=slot.daemon.pid if slot.daemon else None,
            base_url=slot.daemon.base_url if slot.daemon else None,
            problem=slot.problem,
            log_tail=slot.log_tail,
        )


def _admit(daemon: Daemon, hub_origin: str) -> str:
    """Let the hub frame the daemon's page, then get a ticket for it."""
    daemon.set_hub_origin(hub_origin)
    return daemon.mint_ticket()
