"""Which project was shown last: kept in a file, because the window keeps nothing."""

import json
import logging
from pathlib import Path

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.system.atomic import write_private

logger = logging.getLogger(__name__)


class Shown:
    """The project shown last, and how often a command asked to show one."""

    def __init__(self, path: Path) -> None:
        """`path` is written when the project changes; a broken file means none."""
        self._path = path
        self.count = 0
        self.session: SessionId | None = None
        self.workspace: WorkspaceId | None = _read(path)
        self.held: WorkspaceId | None = None
        """Was shown when the page hung: not to be loaded again before somebody asks for it."""

    def note(self, workspace: WorkspaceId) -> None:
        """Remember that a page shows this project. Blocks for a moment."""
        if workspace == self.workspace:
            return
        self.workspace = workspace
        try:
            write_private(self._path, json.dumps({"shown": workspace}).encode())
        except OSError:
            logger.warning("The project shown last could not be noted in %s", self._path)

    def hold(self) -> None:
        """Remember that the page hung or crashed with this project in it.

        What was asked before is done with: the page that comes next must not follow it again.
        """
        self.held = self.workspace
        self.session = None
        self.count = 0

    def release(self, workspace: WorkspaceId) -> None:
        """Forget that this project's page hung: somebody opens it, or it is gone."""
        if workspace == self.held:
            self.held = None

    def ask(self, workspace: WorkspaceId, session: SessionId | None = None) -> None:
        """Remember that the person asked for this project, or session, from outside the page."""
        self.note(workspace)
        self.session = session
        self.count += 1


def _read(path: Path) -> WorkspaceId | None:
    try:
        found = json.loads(path.read_bytes())["shown"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return WorkspaceId(found) if isinstance(found, str) else None
