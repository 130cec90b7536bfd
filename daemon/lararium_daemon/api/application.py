"""The daemon's API, put together from its routers."""

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.types import Message, Scope

from lararium_daemon.api import (
    archive,
    attachments,
    attention,
    calls,
    daemon,
    event_lines,
    logins,
    messages,
    permissions,
    profiles,
    questions,
    sessions,
    trust,
)
from lararium_daemon.api.deps import Services
from lararium_daemon.api.events import HEARTBEAT_SECONDS, SEND_SECONDS, events_router
from lararium_daemon.api.openapi import PROBLEM_RESPONSES, openapi_router
from lararium_daemon.edge.auth_api import AuthServer, include_auth, set_auth_server
from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.edge.problem import install_problem_handlers

_ROUTERS = (
    archive,
    sessions,
    messages,
    attachments,
    event_lines,
    calls,
    permissions,
    questions,
    attention,
    profiles,
    logins,
    trust,
    daemon,
)


def create_api(
    services: Services,
    *,
    prepared: FastAPI | None = None,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    send_seconds: float = SEND_SECONDS,
) -> FastAPI:
    """Give the app that answers under `/api`; the guard goes in front of it.

    Args:
        services: what the routes work with.
        prepared: from `prepare_api`, else it is made here.
        heartbeat_seconds: how often a WebSocket beats.
        send_seconds: how long a client may take nothing.
    """
    app = prepared or _make(heartbeat_seconds, send_seconds)
    app.state.services = services
    set_auth_server(app, AuthServer("daemon", services.guid, services.port, services.credentials))
    return app


def prepare_api() -> FastAPI:
    """Make the app with every route ready and nothing behind it.

    For a process that forks daemons: what is made here they share. Runs no event loop.
    """
    app = _make(HEARTBEAT_SECONDS, SEND_SECONDS)
    _rehearse(app)
    return app


def _make(heartbeat_seconds: float, send_seconds: float) -> FastAPI:
    app = FastAPI(
        title="Lararium daemon",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        responses=PROBLEM_RESPONSES,
    )
    install_problem_handlers(app)
    include_auth(app)
    for part in _ROUTERS:
        app.include_router(part.router, prefix="/api")
    app.include_router(
        events_router(heartbeat_seconds=heartbeat_seconds, send_seconds=send_seconds),
        prefix="/api",
    )
    app.include_router(openapi_router(app), prefix="/api")
    return app


def _rehearse(app: FastAPI) -> None:
    """Answer what a client asks first, and look for a path that is not there.

    A route is made when a path is first held against it, and what an endpoint needs when it is
    first called. Nothing on these ways waits, so it takes no event loop; where that should change,
    things are made when they are first needed, as without this.
    """
    set_auth_server(app, AuthServer("daemon", "", lambda: 0, Credentials("")))
    nonce = b'{"nonce":"%s"}' % (b"0" * 32)
    _ask(app, "GET", "/api/nothing")
    _ask(app, "GET", "/api/health")
    _ask(app, "POST", "/api/auth/prove", nonce)


def _ask(app: FastAPI, method: str, path: str, body: bytes = b"") -> None:
    scope: Scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"content-type", b"application/json")],
    }

    async def receive() -> Message:
        return {"type": "http.request", "body": body}

    async def send(message: Message) -> None:
        del message

    async def answer() -> None:
        await app(scope, receive, send)

    answering = answer()
    try:
        answering.send(None)
    except StopIteration:
        return
    answering.close()


def _operation_id(route: APIRoute) -> str:
    return route.name
