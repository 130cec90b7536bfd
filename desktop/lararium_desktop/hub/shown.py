"""Which project was shown last, and which session of each: the window itself keeps nothing."""

import json
import logging
from pathlib import Path
from typing import Any, cast

from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_daemon.system.atomic import write_private

logger = logging.getLogger(__name__)

MOST_SESSIONS = 64
"""Projects whose session is remembered; those shown longest ago are forgotten."""


class Shown:
    """The project shown last, and how often a command asked to show one."""

    def __init__(self, path: Path) -> None:
        """`path` is written when what is shown changes; a broken file means nothing was."""
        self._path = path
        self.count = 0
        self.session: SessionId | None = None
        """What was asked for last; None once the person has gone elsewhere."""
        kept = _read(path)
        self.workspace: WorkspaceId | None = _shown(kept)
        self._sessions = _sessions(kept)
        self.held: WorkspaceId | None = None
        """Was shown when the page hung: not to be loaded again before somebody asks for it."""

    def last_session(self, workspace: WorkspaceId) -> SessionId | None:
        """Give the session of a project that was in front last; None for a new one."""
        return self._sessions.get(workspace)

    def note(self, workspace: WorkspaceId) -> None:
        """Remember that a page shows this project. Blocks for a moment."""
        if workspace == self.workspace:
            return
        self.workspace = workspace
        self.session = None
        self._keep()

    def note_session(self, workspace: WorkspaceId, session: SessionId | None) -> None:
        """Remember what a page shows of a project. Blocks for a moment when it is another."""
        if workspace == self.workspace and session != self.session:
            self.session = None
        if session == self._sessions.get(workspace):
            return
        self._sessions.pop(workspace, None)
        if session is not None:
            while len(self._sessions) >= MOST_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[workspace] = session
        self._keep()

    def hold(self) -> None:
        """Remember that the page hung or crashed with this project in it.

        What was asked before is done with: the page that comes next must not follow it again, and
        the session may be what it hung on.
        """
        self.held = self.workspace
        self.session = None
        self.count = 0
        if self.workspace is not None:
            self.note_session(self.workspace, None)

    def release(self, workspace: WorkspaceId) -> None:
        """Forget that this project's page hung: somebody opens it, or it is gone."""
        if workspace == self.held:
            self.held = None

    def ask(self, workspace: WorkspaceId, session: SessionId | None = None) -> None:
        """Remember that the person asked for this project, or session, from outside the page."""
        self.note(workspace)
        if session is not None:
            self.note_session(workspace, session)
        self.session = session
        self.count += 1

    def _keep(self) -> None:
        content = {"shown": self.workspace, "sessions": self._sessions}
        try:
            write_private(self._path, json.dumps(content).encode())
        except OSError:
            logger.warning("What was shown last could not be noted in %s", self._path)


def _read(path: Path) -> dict[str, Any]:
    try:
        found: object = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _shown(kept: dict[str, Any]) -> WorkspaceId | None:
    found = kept.get("shown")
    return WorkspaceId(found) if isinstance(found, str) else None


def _sessions(kept: dict[str, Any]) -> dict[WorkspaceId, SessionId]:
    found = kept.get("sessions")
    if not isinstance(found, dict):
        return {}
    pairs = cast("dict[str, Any]", found).items()
    return {WorkspaceId(key): SessionId(each) for key, each in pairs if isinstance(each, str)}
