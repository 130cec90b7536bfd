"""The daemon's API, put together from its routers."""

from fastapi import FastAPI
from fastapi.routing import APIRoute

from lararium_daemon.api import (
    attention,
    calls,
    daemon,
    event_lines,
    messages,
    permissions,
    profiles,
    questions,
    sessions,
)
from lararium_daemon.api.deps import Services
from lararium_daemon.api.events import HEARTBEAT_SECONDS, SEND_SECONDS, events_router
from lararium_daemon.api.openapi import PROBLEM_RESPONSES, openapi_router
from lararium_daemon.edge.auth_api import auth_router
from lararium_daemon.edge.problem import install_problem_handlers

_ROUTERS = (
    sessions,
    messages,
    event_lines,
    calls,
    permissions,
    questions,
    attention,
    profiles,
    daemon,
)


def create_api(
    services: Services,
    *,
    heartbeat_seconds: float = HEARTBEAT_SECONDS,
    send_seconds: float = SEND_SECONDS,
) -> FastAPI:
    """Give the app that answers under `/api`; the guard goes in front of it.

    Args:
        services: what the routes work with.
        heartbeat_seconds: how often a WebSocket beats.
        send_seconds: how long a client may take nothing.
    """
    app = FastAPI(
        title="Lararium daemon",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_operation_id,
        responses=PROBLEM_RESPONSES,
    )
    app.state.services = services
    install_problem_handlers(app)
    app.include_router(
        auth_router("daemon", services.guid, services.port, services.credentials), prefix="/api"
    )
    for part in _ROUTERS:
        app.include_router(part.router, prefix="/api")
    app.include_router(
        events_router(heartbeat_seconds=heartbeat_seconds, send_seconds=send_seconds),
        prefix="/api",
    )
    app.include_router(openapi_router(app), prefix="/api")
    return app


def _operation_id(route: APIRoute) -> str:
    return route.name
