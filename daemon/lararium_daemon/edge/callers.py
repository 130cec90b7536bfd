"""What a caller shows, and what it may do for that: the guard's check of a credential."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from anyio import to_thread
from starlette.types import Scope

from lararium_daemon.edge.credentials import PAGE_SCOPES, Credentials
from lararium_daemon.edge.failures import TOO_MANY
from lararium_daemon.edge.judge import Refusal, RequestFacts
from lararium_daemon.edge.same_user import PeerCheck, is_own_program, is_program
from lararium_daemon.protocol.api import Scope as ApiScope

_BEARER = re.compile(r"bearer +([!-~]+)", re.IGNORECASE)
_TICKET = "ticket."

_NONE = Refusal(401, "credential_missing", "This needs a credential.")
_BAD = Refusal(
    401, "credential_invalid", "This credential is unknown, was used already or has run out."
)


@dataclass(slots=True, frozen=True)
class Caller:
    """Who asks."""

    scopes: frozenset[ApiScope]
    name: str
    """For the log."""


class Callers:
    """Knows callers by their credential, and this user's programs where that is chosen."""

    def __init__(self, credentials: Credentials, same_user: PeerCheck | None) -> None:
        self._credentials = credentials
        self._same_user = same_user

    async def find(self, facts: RequestFacts, scope: Scope) -> Caller | Refusal:
        """Give who asks; a ticket is used up and taken out of the request."""
        authorization = facts.one("authorization")
        if authorization is not None:
            return self._check_bearer(authorization) or self._failed(scope)
        tickets = _take_tickets(scope) if facts.kind == "websocket" else []
        if tickets:
            only = tickets[0] if len(tickets) == 1 else ""
            found = self._credentials.spend_ticket(only, "ws")
            return self._failed(scope) if found is None else Caller(found, "a ticket")
        if await self._is_own_program(facts, scope):
            return Caller(PAGE_SCOPES, "a program of this user")
        return _NONE

    def _check_bearer(self, authorization: str) -> Caller | None:
        match = _BEARER.fullmatch(authorization)
        secret = match.group(1) if match else ""
        scopes = self._credentials.check_bearer(secret)
        return None if scopes is None else Caller(scopes, self._credentials.name_of(secret))

    async def _is_own_program(self, facts: RequestFacts, scope: Scope) -> bool:
        if self._same_user is None or not is_program(facts):
            return False
        client, server = scope.get("client"), scope.get("server")
        return await to_thread.run_sync(is_own_program, client, server, self._same_user)

    def _failed(self, scope: Scope) -> Refusal:
        client = scope.get("client")
        wait = self._credentials.failures.note(client[0] if client else "")
        return _BAD if wait is None else Refusal(429, *TOO_MANY, retry_after_seconds=wait)


def _take_tickets(scope: Scope) -> list[str]:
    """Take the tickets out of the offered subprotocols, so that nothing behind can repeat them."""
    offered: Iterable[str] = scope.get("subprotocols", [])
    tickets = [each.removeprefix(_TICKET) for each in offered if each.startswith(_TICKET)]
    scope["subprotocols"] = [each for each in offered if not each.startswith(_TICKET)]
    scope["headers"] = [
        (name, value) for name, value in scope["headers"] if name != b"sec-websocket-protocol"
    ]
    return tickets
