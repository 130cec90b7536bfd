"""What the inbox must know after a restart and no daemon keeps: dismissals, and what was told.

One small file, replaced as a whole. A file that is missing or broken means that nothing was
dismissed: an item too many is shown, none is lost.
"""

import json
import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.atomic import write_private

logger = logging.getLogger(__name__)

MAX_DISMISSED = 2_000


@dataclass
class InboxMemory:
    """The file's content; whoever changes it calls `save` afterwards."""

    path: Path
    dismissed: dict[str, None] = field(default_factory=dict[str, None])
    """Ids of items, oldest first."""
    told: dict[WorkspaceId, int] = field(default_factory=dict[WorkspaceId, int])
    """The place up to which each workspace's items were looked at for notifications."""

    @classmethod
    def load(cls, path: Path) -> "InboxMemory":
        """Read the file. Blocks for a moment."""
        memory = cls(path)
        try:
            raw: Any = json.loads(path.read_bytes())
        except FileNotFoundError:
            return memory
        except (OSError, ValueError, RecursionError):
            logger.warning("What was dismissed could not be read from %s", path)
            return memory
        content = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
        dismissed, told = content.get("dismissed"), content.get("told")
        if isinstance(dismissed, list):
            ids = cast("list[Any]", dismissed)
            memory.dismissed = {each: None for each in ids if isinstance(each, str)}
        if isinstance(told, dict):
            places = cast("dict[str, Any]", told)
            memory.told = {
                WorkspaceId(key): seq for key, seq in places.items() if isinstance(seq, int)
            }
        return memory

    def dismiss(self, item_id: str) -> None:
        """Remember a dismissal; the oldest ones leave when there are too many."""
        self.dismissed[item_id] = None
        while len(self.dismissed) > MAX_DISMISSED:
            del self.dismissed[next(iter(self.dismissed))]

    def content(self) -> bytes:
        """Give the file as it should be now."""
        content = {"version": 1, "dismissed": list(self.dismissed), "told": self.told}
        return json.dumps(content).encode()

    def save(self, content: bytes) -> None:
        """Replace the file. Blocks for a moment; what cannot be written is said in the log."""
        try:
            write_private(self.path, content)
        except OSError:
            logger.warning("What was dismissed could not be kept in %s", self.path)
