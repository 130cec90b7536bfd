"""The hub's application: its routes, its page, and the tasks that live as long as it does."""

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from fastapi import APIRouter, Depends, FastAPI
from starlette.types import ASGIApp

from lararium_daemon.edge.auth_api import AuthServer, include_auth, set_auth_server
from lararium_daemon.edge.guard import Guard
from lararium_daemon.edge.judge import GuardPolicy
from lararium_daemon.edge.page import PageApp, with_page
from lararium_daemon.edge.problem import install_problem_handlers
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import Accepted
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import HubStatus, PageLink
from lararium_desktop.hub import (
    events_api,
    inbox_api,
    native_api,
    settings_api,
    tour_api,
    workspaces_api,
)
from lararium_desktop.hub.services import Hub, HubServices

logger = logging.getLogger(__name__)

STATIC = Path(__file__).resolve().parent.parent / "static"

_router = APIRouter(tags=["hub"])


@_router.get("/status", dependencies=[Depends(require("read"))])
async def status(hub: Hub) -> HubStatus:
    """State of the hub itself."""
    return hub.status()


@_router.post("/quit", status_code=202, dependencies=[Depends(require("admin"))])
async def quit_hub(hub: Hub) -> Accepted:
    """End the hub and its window; daemons and their runs go on."""
    hub.quit.set()
    return Accepted()


@_router.post("/page-link", status_code=201, dependencies=[Depends(require("admin"))])
async def page_link(hub: Hub) -> PageLink:
    """Give an address for the person to open; its ticket lasts as long as a printed line should."""
    return hub.page_link()


def create_hub(hub: HubServices) -> ASGIApp:
    """Give the whole site: guard, API and page."""
    api = create_hub_api(hub)
    return guard_hub(with_page(api, PageApp(STATIC, port=hub.port, frames_loopback=True)), hub)


def guard_hub(site: ASGIApp, hub: HubServices) -> ASGIApp:
    """Put the hub's guard in front."""
    return Guard(site, GuardPolicy(port=hub.port), hub.credentials, same_user=hub.same_user)


def create_hub_api(hub: HubServices) -> FastAPI:
    """Give what answers under `/api`, with the tasks that live as long as it does."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with anyio.create_task_group() as group:
            group.start_soon(hub.pool.run)
            group.start_soon(hub.followers.run)
            group.start_soon(hub.notifier.run)
            group.start_soon(_keep_frames, hub)
            group.start_soon(hub.keeper.run)
            yield
            group.cancel_scope.cancel()

    api = FastAPI(
        title="Lararium hub",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    api.state.hub = hub
    install_problem_handlers(api)
    set_auth_server(api, AuthServer("hub", hub.guid, lambda: hub.port, hub.credentials))
    include_auth(api)
    parts = (workspaces_api, inbox_api, native_api, settings_api, tour_api, events_api)
    for router in (_router, *(part.router for part in parts)):
        api.include_router(router, prefix="/api")
    return api


async def _keep_frames(hub: HubServices) -> None:
    """Take the frames of a daemon that is gone from the window: another may get its port."""
    known = hub.pool.origins()
    version = -1
    while True:
        version = await hub.feed.wait_newer(version)
        if (origins := hub.pool.origins()) == known:
            continue
        known = origins
        try:
            await hub.allow_frames()
        except LarariumError as error:
            logger.warning("The window was not told its frames: %s", error.detail)
