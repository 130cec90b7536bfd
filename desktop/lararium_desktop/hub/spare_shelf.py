"""Keeps one spare beside the hub, so that the next project's daemon is ready sooner.

It is what the fork server is on Linux, for systems where a fork is not safe: not run on macOS and
Windows so far. A spare ends with the hub: it waits for the end of its standard input.
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio
from anyio import to_thread

from lararium_daemon.client.guardian import Guardian
from lararium_daemon.client.spare import Spare
from lararium_daemon.system.environment import daemon_environment
from lararium_desktop.hub.restart_budget import RestartBudget

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0


class SpareShelf:
    """Has room for one. `take` may be called from any thread."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str], command: Sequence[str] | None = None
    ) -> None:
        """`folder` is the hub's own; `command` is what starts a spare, None for `lar`."""
        self._folder = folder
        self._environment = daemon_environment(environment)
        self._command = command
        self._lock = threading.Lock()
        self._spare: Spare | None = None

    def take(self, workspace: Path) -> Guardian | None:
        """Make the spare the guardian of a folder; None when there is none that will do."""
        spare = self._pick_up()
        return spare.take(workspace) if spare else None

    async def keep(self, look_seconds: float = LOOK_SECONDS) -> None:
        """Keep one until cancelled; give up, and say so, when they end by themselves too often."""
        budget = RestartBudget()
        try:
            while True:
                if self._has_lost_one():
                    pause = budget.note()
                    if pause is None:
                        logger.warning("Spare daemons keep ending; daemons start without")
                        return
                    await anyio.sleep(pause)
                if self._spare is None:
                    await to_thread.run_sync(self._put)
                await anyio.sleep(look_seconds)
        finally:
            spare = self._pick_up()
            if spare is not None:
                spare.end()

    def _pick_up(self) -> Spare | None:
        with self._lock:
            spare, self._spare = self._spare, None
        return spare

    def _has_lost_one(self) -> bool:
        with self._lock:
            lost = self._spare if self._spare is not None and self._spare.has_ended else None
            if lost is not None:
                lost.end()
                self._spare = None
        return lost is not None

    def _put(self) -> None:
        try:
            spare = Spare.start(self._folder, self._environment, self._command)
        except OSError as error:
            logger.warning("No spare daemon could be started: %s", error)
            return
        with self._lock:
            self._spare = spare
