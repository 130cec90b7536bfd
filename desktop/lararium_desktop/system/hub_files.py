"""Where the hub keeps its files, and the record by which others find the running one.

Everything lies in `<state>/hub/`, private. The lock is the truth about whether a hub runs; the
record and the token are hints, to be believed only after the hub has proved itself. The record
stays after a clean end, because the next hub takes the same port again when it can.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.runtime import RuntimeRecord


@dataclass(frozen=True)
class HubPaths:
    """The hub's files."""

    folder: Path

    @property
    def owner_lock(self) -> Path:
        """Held by the one running hub; never deleted."""
        return self.folder / "owner.lock"

    @property
    def start_lock(self) -> Path:
        """Held by whoever is starting the hub, so that two commands at once start one."""
        return self.folder / "start.lock"

    @property
    def record(self) -> Path:
        """Where the hub listens."""
        return self.folder / "hub.json"

    @property
    def token(self) -> Path:
        """The running hub's token."""
        return self.folder / "token"

    @property
    def shown(self) -> Path:
        """Which project was shown last."""
        return self.folder / "ui.json"

    @property
    def inbox(self) -> Path:
        """What the person dismissed, and what they were told of."""
        return self.folder / "inbox.json"

    @property
    def log(self) -> Path:
        """The hub's log, JSON lines."""
        return self.folder / "hub.log"

    @property
    def output(self) -> Path:
        """What the hub's process printed when it runs in the background."""
        return self.folder / "hub.out"

    @property
    def window_output(self) -> Path:
        """What the window's process printed."""
        return self.folder / "window.out"

    @property
    def tray_output(self) -> Path:
        """What the tray's process printed."""
        return self.folder / "tray.out"

    @property
    def no_tray_said(self) -> Path:
        """There once the person was told that this desktop shows no tray icons."""
        return self.folder / "no-tray-said"


def publish(paths: HubPaths, record: RuntimeRecord, token: str) -> None:
    """Write the token, then the record: whoever reads the second finds the first."""
    write_private(paths.token, token.encode())
    write_private(paths.record, json.dumps(record._asdict()).encode() + b"\n")
