"""What a person allowed for the rest of a session, as it is shown and taken back."""

from lararium_daemon.protocol.api import Output
from lararium_daemon.protocol.ids import SessionId


class Grant(Output):
    """One permission that holds until its session's daemon ends or somebody takes it back."""

    id: str
    session_id: SessionId
    permission: str
    """`Bash`, `Edit`, `WebFetch`, …; the word that rules begin with."""
    allowed: str
    """Exactly what: folder, newline, command; a file's real path; a host of the web."""
    granted_at: str


class GrantList(Output):
    """What is granted now, by session, oldest first."""

    items: list[Grant]
    next_cursor: str | None = None
