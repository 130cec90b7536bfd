"""Permission requests that wait for a person, and the decisions on them.

The loop opens a request once `permission.requested` is committed, waits, commits
`permission.resolved` and then calls `committed`; the API's `decide` returns after that.
"""

import hashlib
import hmac
from dataclasses import dataclass

from lararium_daemon.permissions.desk import Desk
from lararium_daemon.protocol.api import DecisionInput, DecisionTaken
from lararium_daemon.protocol.ids import RequestId
from lararium_daemon.protocol.permissions import (
    Decision,
    GrantScope,
    PermissionRequest,
    ResolvedBy,
)
from lararium_daemon.protocol.problems import LarariumError


@dataclass(slots=True, frozen=True)
class Resolution:
    """How a request ended."""

    decision: Decision
    scope: GrantScope
    by: ResolvedBy
    reason: str = ""


def hash_shown(shown: str) -> str:
    """Give the hash a decision must name: hex SHA-256 of the text in UTF-8."""
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()


class Broker:
    """Open permission requests of all sessions."""

    def __init__(self) -> None:
        self._desk: Desk[PermissionRequest, Resolution] = Desk("request")

    def open(self, request: PermissionRequest) -> None:
        """Offer a request to the person; `permission.requested` is committed."""
        self._desk.put(request.id, request)

    def open_requests(self) -> list[PermissionRequest]:
        """Give the requests that wait, oldest first."""
        return self._desk.items()

    async def wait(self, request_id: RequestId) -> Resolution:
        """Wait, without limit, for the decision or a withdrawal."""
        return await self._desk.wait(request_id)

    def committed(self, request_id: RequestId) -> None:
        """Say that `permission.resolved` is durable; lets `decide` return."""
        self._desk.committed(request_id)

    async def decide(self, request_id: RequestId, given: DecisionInput) -> DecisionTaken:
        """Take the person's decision; return once it is committed.

        Raises:
            LarariumError: 404 `unknown_request`, 409 `already_resolved`, 409 `shown_mismatch`,
                409 `no_safe_rule` (scope always without a rule to store), 503 `not_committed`.
        """
        request = self._desk.find(request_id)
        if not hmac.compare_digest(
            given.shown_sha256.lower().encode(), request.shown_sha256.encode()
        ):
            raise LarariumError(
                "shown_mismatch",
                "The decision names another text than the one that waits. Reload and look again.",
                409,
            )
        if given.decision == "allow" and given.scope == "always" and not request.suggested_rules:
            raise LarariumError(
                "no_safe_rule",
                "There is no safe rule that could allow this always. Allow it once or for the "
                "session.",
                409,
            )
        resolution = Resolution(given.decision, given.scope, "person", given.reason or "")
        await self._desk.settle(request_id, resolution)
        return DecisionTaken(request_id=request_id, decision=given.decision, scope=given.scope)

    def withdraw(self, request_id: RequestId, by: ResolvedBy, reason: str) -> bool:
        """Close a request without the person: it counts as denied. Give whether it was open."""
        return self._desk.withdraw(request_id, Resolution("deny", "once", by, reason))
