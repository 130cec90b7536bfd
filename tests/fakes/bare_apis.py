"""The real APIs of daemon and hub behind the real guard, with nothing behind their routes.

Enough to see whether a request reaches a route: one that does breaks there.
"""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Literal, cast

from fastapi import FastAPI
from fastapi.routing import APIWebSocketRoute, iter_route_contexts
from starlette.types import ASGIApp

from lararium_daemon.api.application import create_api
from lararium_daemon.api.deps import Services
from lararium_daemon.api.openapi import document
from lararium_daemon.edge.credentials import PAGE_SCOPES, Credentials
from lararium_daemon.edge.guard import Guard
from lararium_daemon.edge.judge import GuardPolicy
from lararium_daemon.protocol.api import Scope
from lararium_desktop.hub.application import create_hub_api, guard_hub
from lararium_desktop.hub.services import HubServices

PORT = 4567
TOKEN_SCOPES: frozenset[Scope] = PAGE_SCOPES | frozenset[Scope](("native",))


@dataclass(frozen=True)
class BareApi:
    """One server's API."""

    api: FastAPI
    site: ASGIApp
    """The API behind its guard."""
    credentials: Credentials
    described: dict[str, Any]
    """Its OpenAPI document."""

    @property
    def routes(self) -> set[tuple[str, str]]:
        """Every method, or WS, and path; also those that the document does not name."""
        found: set[tuple[str, str]] = set()
        for context in iter_route_contexts(self.api.routes):
            is_socket = isinstance(context.original_route, APIWebSocketRoute)
            methods = {"WS"} if is_socket else set(context.methods or ())
            found |= {(method, str(context.path)) for method in methods}
        return found

    @property
    def operations(self) -> set[tuple[str, str]]:
        """Every method and path of the document."""
        paths: dict[str, dict[str, Any]] = self.described["paths"]
        return {(method.upper(), path) for path, each in paths.items() for method in each}


def bare_api(kind: Literal["daemon", "hub"]) -> BareApi:
    """Make it; nothing runs and nothing listens."""
    credentials = Credentials("token", token_scopes=TOKEN_SCOPES)
    return _daemon(credentials) if kind == "daemon" else _hub(credentials)


def _daemon(credentials: Credentials) -> BareApi:
    services = SimpleNamespace(guid="guid", port=lambda: PORT, credentials=credentials)
    api = create_api(cast("Services", services))
    return BareApi(api, Guard(api, GuardPolicy(PORT), credentials), credentials, document(api))


def _hub(credentials: Credentials) -> BareApi:
    services = SimpleNamespace(guid="guid", port=PORT, credentials=credentials, same_user=None)
    hub = cast("HubServices", services)
    api = create_hub_api(hub)
    return BareApi(api, guard_hub(api, hub), credentials, api.openapi())
