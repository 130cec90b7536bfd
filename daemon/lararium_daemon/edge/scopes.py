"""What a caller may do: the scopes that the guard found, and the check a route makes of them."""

from dataclasses import dataclass
from typing import cast

from starlette.requests import HTTPConnection
from starlette.types import Scope as AsgiScope

from lararium_daemon.protocol.api import Scope
from lararium_daemon.protocol.problems import LarariumError

_STATE_KEY = "lararium_scopes"
_CALLER_KEY = "lararium_caller"


def grant_scopes(asgi_scope: AsgiScope, scopes: frozenset[Scope], caller: str = "") -> None:
    """Note on a request what its credential allows and whose it is; the guard alone calls this."""
    state = asgi_scope.setdefault("state", {})
    state[_STATE_KEY], state[_CALLER_KEY] = scopes, caller


def caller_of(connection: HTTPConnection) -> str:
    """Give what a log may call the caller: it tells callers apart and is no secret."""
    return str(connection.scope.get("state", {}).get(_CALLER_KEY, ""))


def granted_scopes(connection: HTTPConnection) -> frozenset[Scope]:
    """Give what the caller may do; nothing when no guard has looked at the request."""
    found = connection.scope.get("state", {}).get(_STATE_KEY, frozenset())
    return cast("frozenset[Scope]", found)


def check_scope(connection: HTTPConnection, scope: Scope) -> None:
    """Make sure that the caller holds this scope.

    Raises:
        LarariumError: 403 `missing_scope`.
    """
    if scope not in granted_scopes(connection):
        detail = f"This needs the scope “{scope}”, which the credential does not have."
        raise LarariumError("missing_scope", detail, 403)


@dataclass(frozen=True)
class Required:
    """A route dependency: the caller holds this scope, else 403 `missing_scope`."""

    scope: Scope

    # Async though nothing waits: a plain function would be run in a thread, for every request.
    async def __call__(self, connection: HTTPConnection) -> None:
        """Check the caller."""
        check_scope(connection, self.scope)


def require(scope: Scope) -> Required:
    """Give the dependency that asks for this scope; the API's description finds it there."""
    return Required(scope)
