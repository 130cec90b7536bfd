"""What a caller may show: the token, a page's session key, a single-use ticket.

Everything lives in memory and dies with the server, so a stranger who takes over the port finds
nothing valid in a page's storage. Secrets are kept as SHA-256 and compared in constant time.
All tables are bounded: the oldest entry makes room.
"""

import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from lararium_daemon.edge.failures import FailureLimit
from lararium_daemon.protocol.api import Scope

TicketPurpose = Literal["ui", "ws"]

PAGE_SCOPES: frozenset[Scope] = frozenset({"read", "prompt", "approve", "admin"})
TICKET_SECONDS = 30
PRINTED_TICKET_SECONDS = 600
SESSION_IDLE_SECONDS = 12 * 3600
MAX_SECRET_CHARS = 512
MAX_TICKETS = 1024
MAX_SESSION_KEYS = 1024


def new_token() -> str:
    """Make a server's token: 256 random bits, URL-safe."""
    return secrets.token_urlsafe(32)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


@dataclass(slots=True)
class _SessionKey:
    scopes: frozenset[Scope]
    last_seen: float


@dataclass(slots=True, frozen=True)
class _Ticket:
    purpose: TicketPurpose
    scopes: frozenset[Scope]
    expires_at: float


class Credentials:
    """The credentials of one running server."""

    def __init__(
        self,
        token: str,
        *,
        token_scopes: Iterable[Scope] = PAGE_SCOPES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._token = token
        self._token_digest = _digest(token)
        self._token_scopes = frozenset(token_scopes)
        self._clock = clock
        self._keys: OrderedDict[bytes, _SessionKey] = OrderedDict()
        self._tickets: OrderedDict[bytes, _Ticket] = OrderedDict()
        self.failures = FailureLimit(clock)
        """How often each address showed what is none of these."""

    @property
    def token(self) -> str:
        """The token, for the proof and the token file alone."""
        return self._token

    def __repr__(self) -> str:
        return "Credentials(…)"

    def check_bearer(self, secret: str) -> frozenset[Scope] | None:
        """Give the scopes of a token or session key; None when it is neither."""
        if not 0 < len(secret) <= MAX_SECRET_CHARS:
            return None
        digest = _digest(secret)
        if hmac.compare_digest(digest, self._token_digest):
            return self._token_scopes
        return self._check_session_key(digest)

    def name_of(self, secret: str) -> str:
        """Give what a log may call the holder of a token or session key."""
        digest = _digest(secret)
        is_token = hmac.compare_digest(digest, self._token_digest)
        return "the token" if is_token else f"page {digest.hex()[:8]}"

    def new_session_key(self, scopes: Iterable[Scope]) -> str:
        """Make a bearer with these scopes; it ends after 12 idle hours or with the server."""
        secret = secrets.token_urlsafe(32)
        self._keys[_digest(secret)] = _SessionKey(frozenset(scopes), self._clock())
        if len(self._keys) > MAX_SESSION_KEYS:
            self._keys.popitem(last=False)
        return secret

    def mint_ticket(
        self,
        purpose: TicketPurpose,
        *,
        scopes: Iterable[Scope] = PAGE_SCOPES,
        ttl_seconds: float = TICKET_SECONDS,
    ) -> str:
        """Make a single-use ticket that hands on at most these scopes."""
        secret = secrets.token_urlsafe(24)
        expires_at = self._clock() + ttl_seconds
        self._tickets[_digest(secret)] = _Ticket(purpose, frozenset(scopes), expires_at)
        if len(self._tickets) > MAX_TICKETS:
            self._tickets.popitem(last=False)
        return secret

    def spend_ticket(self, secret: str, purpose: TicketPurpose) -> frozenset[Scope] | None:
        """Use a ticket up and give its scopes; None when unknown, spent, late or for other use."""
        if not 0 < len(secret) <= MAX_SECRET_CHARS:
            return None
        ticket = self._tickets.pop(_digest(secret), None)
        if ticket is None or ticket.purpose != purpose or self._clock() > ticket.expires_at:
            return None
        return ticket.scopes

    def _check_session_key(self, digest: bytes) -> frozenset[Scope] | None:
        key = self._keys.get(digest)
        if key is None:
            return None
        now = self._clock()
        if now - key.last_seen > SESSION_IDLE_SECONDS:
            del self._keys[digest]
            return None
        key.last_seen = now
        self._keys.move_to_end(digest)
        return key.scopes
