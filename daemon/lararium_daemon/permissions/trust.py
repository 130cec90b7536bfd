"""The person's decision on a workspace's folder, `trust.json` in its state folder.

Before a person trusts it nothing of the folder is started or obeyed. The decision lies outside the
folder and is keyed by the workspace's id, so it neither travels with a copy nor can be brought
along. A file that cannot be read counts as no decision and says so.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lararium_daemon.protocol.trust import TrustState
from lararium_daemon.system.atomic import write_private
from lararium_daemon.system.clock import now_rfc3339

_MAX_BYTES = 64 * 1024


@dataclass(slots=True, frozen=True)
class TrustDecision:
    """What the person decided, and when."""

    state: TrustState = "undecided"
    decided_at: str | None = None
    problem: str = ""


class TrustStore:
    """Reads and writes one `trust.json`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._decision = self._read()

    @property
    def is_trusted(self) -> bool:
        """Whether the folder may start and configure things."""
        return self._decision.state == "trusted"

    def decision(self) -> TrustDecision:
        """Give the decision that holds."""
        return self._decision

    def decide(self, *, trusted: bool) -> TrustDecision:
        """Store a decision; durable when this returns.

        Raises:
            OSError: it could not be written; the one of before holds.
        """
        decision = TrustDecision("trusted" if trusted else "untrusted", now_rfc3339())
        text = json.dumps({"state": decision.state, "decided_at": decision.decided_at})
        write_private(self._path, text.encode() + b"\n")
        self._decision = decision
        return decision

    def _read(self) -> TrustDecision:
        try:
            with self._path.open("rb") as file:
                value: Any = json.loads(file.read(_MAX_BYTES))
        except FileNotFoundError:
            return TrustDecision()
        except (OSError, ValueError, RecursionError) as error:
            return self._unreadable(str(error))
        if not isinstance(value, dict):
            return self._unreadable("it holds no object")
        found = cast("dict[str, Any]", value)
        state, decided_at = found.get("state"), found.get("decided_at")
        if state not in ("trusted", "untrusted") or not isinstance(decided_at, str):
            return self._unreadable("it holds no decision")
        return TrustDecision(cast("TrustState", state), decided_at)

    def _unreadable(self, why: str) -> TrustDecision:
        return TrustDecision(
            problem=f"The decision on this folder in {self._path} cannot be read ({why}). It "
            "counts as not trusted until you decide again."
        )
