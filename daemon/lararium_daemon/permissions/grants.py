"""What a person allowed for the rest of a session.

A command is granted as it was shown, character by character; a file's edits by its real path; pages
of the web by their host. They live in memory and die with the daemon.
"""

from dataclasses import dataclass, field

from lararium_daemon.protocol.grants import Grant
from lararium_daemon.protocol.ids import SessionId, new_grant_id
from lararium_daemon.system.clock import now_rfc3339


@dataclass(slots=True, frozen=True)
class _Given:
    """One permission that was given."""

    id: str
    at: str
    permission: str
    shown: str
    path: str
    """Real path of the file whose edits are allowed, "" for none."""
    host: str
    """Host of the web, as patterns compare it, "" for none."""

    @property
    def words(self) -> str:
        return self.path or self.host or self.shown


@dataclass(slots=True)
class SessionGrants:
    """One session's grants."""

    _given: list[_Given] = field(default_factory=list[_Given])

    def add(self, permission: str, *, shown: str, path: str = "", host: str = "") -> None:
        """Remember what the person allowed for the session."""
        edits = path if permission == "Edit" else ""
        pages = host if permission == "WebFetch" else ""
        given = _Given(new_grant_id(), now_rfc3339(), permission, shown, edits, pages)
        self._given.append(given)

    def covers_shown(self, permission: str, shown: str) -> bool:
        """Tell whether exactly this was allowed."""
        return bool(shown) and any(
            (each.permission, each.shown) == (permission, shown) for each in self._given
        )

    def covers_edit(self, path: str) -> bool:
        """Tell whether edits of this file were allowed."""
        return bool(path) and any(each.path == path for each in self._given)

    def covers_host(self, host: str) -> bool:
        """Tell whether pages of this host were allowed."""
        return bool(host) and any(each.host == host for each in self._given)

    def view(self, session_id: SessionId) -> list[Grant]:
        """Give the grants as the person sees them, oldest first."""
        return [
            Grant(
                id=each.id,
                session_id=session_id,
                permission=each.permission,
                allowed=each.words,
                granted_at=each.at,
            )
            for each in self._given
        ]

    def remove(self, grant_id: str) -> bool:
        """Take a grant back; what comes next is asked again. Give whether it was there."""
        left = [each for each in self._given if each.id != grant_id]
        found = len(left) < len(self._given)
        self._given[:] = left
        return found


@dataclass(slots=True)
class GrantBook:
    """The grants of all sessions, while the daemon lives."""

    _sessions: dict[SessionId, SessionGrants] = field(
        default_factory=dict[SessionId, SessionGrants]
    )

    def of(self, session_id: SessionId) -> SessionGrants:
        """Give a session's grants; the same object each time."""
        return self._sessions.setdefault(session_id, SessionGrants())

    def items(self) -> list[Grant]:
        """Give what is granted now, over all sessions."""
        return [each for id_, grants in self._sessions.items() for each in grants.view(id_)]

    def remove(self, grant_id: str) -> bool:
        """Take a grant back, whichever session it is of. Give whether it was there."""
        return any([grants.remove(grant_id) for grants in self._sessions.values()])

    def forget(self, session_id: SessionId) -> None:
        """Drop a session that is gone."""
        self._sessions.pop(session_id, None)
