"""The pool: which daemon guards which workspace, and in which state each workspace is.

The pool starts, adopts and stops daemons; it owns no process: a daemon outlives the hub, and one
that somebody else started is adopted. One that crashes is started again, a few times; one of an
older version is followed by another once its runs have ended. A sweep looks at every workspace
each two seconds. What blocks (processes, files, HTTP) happens behind `Daemons`, in worker threads;
one start or stop a workspace at a time.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio
from anyio import to_thread
from anyio.abc import TaskGroup

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace, WorkspaceOpened, WorkspaceState
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.hub.daemon_port import Daemon, Daemons
from lararium_desktop.hub.folders import problem_of
from lararium_desktop.hub.registry import Entry, Registry
from lararium_desktop.hub.slot import Glance, Slot, glance

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 2.0
SILENT = "Its daemon runs and gives no sign of life. Wait, or restart it: what runs is cut then."


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
        self._slots: dict[WorkspaceId, Slot] = {}
        self._tasks: TaskGroup | None = None
        """Where what takes longer than a sweep happens; None while `run` does not."""
        self._sweeping = anyio.Lock()

    def workspaces(self) -> list[Workspace]:
        """Give what is known now, in the person's order."""
        return [self._slot(entry.id).describe(entry) for entry in self._entries]

    def origins(self) -> frozenset[str]:
        """Give the origins whose pages the hub's page may embed now."""
        known = (self._slot(entry.id).daemon for entry in self._entries)
        return frozenset(daemon.base_url for daemon in known if daemon is not None)

    async def run(self) -> None:
        """Look at every workspace again and again, until cancelled."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            while True:
                await self.refresh()
                await anyio.sleep(SWEEP_SECONDS)

    async def refresh(self) -> None:
        """Read the registry and look at every workspace once; after another that is at it."""
        async with self._sweeping:  # what that one is just asking would be taken for stopped
            before = self.workspaces()
            async with anyio.create_task_group() as group:
                for seen in await to_thread.run_sync(self._survey):
                    if seen.finding in {"gone", "there"}:
                        group.start_soon(self._look, seen.entry)
                    elif seen.is_current:
                        self._take(seen)
            if self.workspaces() != before:
                self._changed()

    def _survey(self) -> list[Glance]:
        """Look at all that nobody works on, in one go: a thread for each would cost far more."""
        try:
            self._entries = self._registry.entries()
        except (LarariumError, OSError):
            logger.exception("Reading the list of projects failed")
        slots = [(entry, self._slot(entry.id)) for entry in self._entries]
        return [
            glance(self._daemons, entry, slot) for entry, slot in slots if not slot.busy.locked()
        ]

    async def open(self, workspace: WorkspaceId) -> WorkspaceOpened:
        """Start or wake the daemon, and give the address of its page with a one-time ticket.

        Raises:
            LarariumError: `unknown_workspace`, what `inspect_folder` says of a folder that is not
                there any more, or why the daemon did not start.
        """
        return await self._open(workspace, safe=False)

    async def safe_start(self, workspace: WorkspaceId) -> WorkspaceOpened:
        """Start the daemon without anything that the project brings; one that runs is stopped.

        Raises as `stop` and `open` do.
        """
        await self.stop(workspace)
        return await self._open(workspace, safe=True)

    async def _open(self, workspace: WorkspaceId, *, safe: bool) -> WorkspaceOpened:
        entry = await self._entry(workspace)
        slot = self._slot(workspace)
        async with slot.busy:
            slot.budget.renew()
            daemon = await self._renewed(entry, slot, await self._running(entry, slot, safe=safe))
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
            slot.retiring = False
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

    async def _running(self, entry: Entry, slot: Slot, *, safe: bool = False) -> Daemon:
        if slot.daemon is not None and await to_thread.run_sync(slot.daemon.is_alive):
            return slot.daemon
        problem = await to_thread.run_sync(problem_of, entry.path)
        if problem:
            self._settle(slot, "missing", problem=problem)
            raise LarariumError("folder_missing", problem, 409)
        self._settle(slot, "starting")
        try:
            return await to_thread.run_sync(
                lambda: self._daemons.start(Path(entry.path), safe=safe)
            )
        except LarariumError as error:
            await self._fail(entry.id, slot, error.detail)
            raise

    async def _renewed(self, entry: Entry, slot: Slot, daemon: Daemon) -> Daemon:
        """Put another one in the place of an outdated daemon, now or once its runs have ended."""
        if not daemon.outdated or slot.retiring:
            return daemon
        try:
            running = await to_thread.run_sync(self._daemons.retire, entry.id)
        except LarariumError as error:
            logger.warning("The outdated daemon of %s goes on: %s", entry.id, error.detail)
            return daemon
        if running:
            logger.info("The daemon of %s (%s) ends after its runs", entry.id, daemon.outdated)
            slot.retiring = True
            return daemon
        slot.daemon = None
        return await self._running(entry, slot, safe=daemon.safe)

    def _take(self, seen: Glance) -> None:
        """Take what a glance found out without having to ask anybody."""
        slot, daemon = seen.slot, seen.daemon
        if daemon is None:
            self._note_folder(slot, seen.problem)
        elif seen.finding == "silent":
            self._settle(slot, "unresponsive", daemon, problem=SILENT)
        else:
            self._settle(slot, "ready", daemon)
            if daemon.outdated and not slot.retiring and self._tasks:
                self._tasks.start_soon(self._renew, seen.entry, slot)

    async def _look(self, entry: Entry) -> None:
        slot = self._slot(entry.id)
        if slot.busy.locked():
            return
        async with slot.busy:
            if slot.daemon is not None and await to_thread.run_sync(slot.daemon.is_alive):
                return
            lost = slot.daemon
            try:
                found = await to_thread.run_sync(self._daemons.find, entry.id)
            except LarariumError as error:
                self._settle(slot, "unresponsive", problem=error.detail)
                return
            if found is not None:
                self._settle(slot, "ready", found)
            elif lost is not None:
                await self._mourn(entry, slot, lost)

    async def _mourn(self, entry: Entry, slot: Slot, lost: Daemon) -> None:
        """Tell a daemon that stopped by itself from one that crashed; start again what should run.

        One that makes room for a newer one is followed by it.
        """
        retired, slot.retiring = slot.retiring, False
        crashed = await to_thread.run_sync(self._daemons.has_crashed, entry.id)
        if retired and not crashed and self._tasks:
            self._settle(slot, "starting")
            self._tasks.start_soon(self._revive, entry, slot, 0.0, lost.safe)
            return
        if not crashed:
            self._settle(slot, "asleep")
            return
        pause = slot.budget.note() if self._tasks else None
        if pause is not None and self._tasks:
            logger.warning("The daemon of %s crashed; another starts in %.1f s", entry.id, pause)
            self._settle(slot, "starting")
            self._tasks.start_soon(self._revive, entry, slot, pause, lost.safe)
            return
        await self._fail(
            entry.id,
            slot,
            f"The daemon of {entry.name} stopped without being asked to. Its sessions are "
            "on disk; what was running is shown as interrupted when it starts again.",
        )

    async def _revive(self, entry: Entry, slot: Slot, pause: float, safe: bool) -> None:
        """Start a daemon again, if nobody has meanwhile started or stopped it."""
        await anyio.sleep(pause)
        async with slot.busy:
            if slot.state != "starting" or slot.daemon is not None:
                return
            try:
                daemon = await self._running(entry, slot, safe=safe)
            except LarariumError as error:
                logger.warning("The daemon of %s does not start again: %s", entry.id, error.detail)
                return
            self._settle(slot, "ready", daemon)

    async def _renew(self, entry: Entry, slot: Slot) -> None:
        async with slot.busy:
            daemon = slot.daemon
            if daemon is None or slot.retiring:
                return
            try:
                self._settle(slot, "ready", await self._renewed(entry, slot, daemon))
            except LarariumError as error:
                logger.warning("No newer daemon of %s starts: %s", entry.id, error.detail)

    def _note_folder(self, slot: Slot, problem: str) -> None:
        if problem:
            self._settle(slot, "missing", problem=problem)
        elif slot.state in {"missing", "unresponsive"}:
            self._settle(slot, "stopped")

    async def _fail(self, workspace: WorkspaceId, slot: Slot, problem: str) -> None:
        tail = await to_thread.run_sync(self._daemons.log_tail, workspace)
        self._settle(slot, "crashed", problem=problem, log_tail=tail)

    def _settle(
        self,
        slot: Slot,
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

    def _slot(self, workspace: WorkspaceId) -> Slot:
        return self._slots.setdefault(workspace, Slot())


def _admit(daemon: Daemon, hub_origin: str) -> str:
    """Let the hub frame the daemon's page, then get a ticket for it."""
    daemon.set_hub_origin(hub_origin)
    return daemon.mint_ticket()
