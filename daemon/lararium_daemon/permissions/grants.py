"""What a person allowed for the rest of a session.

A command is granted as it was shown, character by character; a file's edits by its real path; pages
of the web by their host. They live in memory and die with the daemon.
"""

from dataclasses import dataclass, field


@dataclass(slots=True)
class SessionGrants:
    """One session's grants."""

    shown: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Permission name and what was shown."""
    edits: set[str] = field(default_factory=set[str])
    """Real paths."""
    hosts: set[str] = field(default_factory=set[str])
    """Hosts of the web, as patterns compare them."""

    def add(self, permission: str, *, shown: str, path: str = "", host: str = "") -> None:
        """Remember what the person allowed for the session."""
        self.shown.add((permission, shown))
        if permission == "WebFetch" and host:
            self.hosts.add(host)
        if permission == "Edit" and path:
            self.edits.add(path)

    def covers_shown(self, permission: str, shown: str) -> bool:
        """Tell whether exactly this was allowed."""
        return bool(shown) and (permission, shown) in self.shown

    def covers_edit(self, path: str) -> bool:
        """Tell whether edits of this file were allowed."""
        return path in self.edits

    def covers_host(self, host: str) -> bool:
        """Tell whether pages of this host were allowed."""
        return bool(host) and host in self.hosts
