"""The daemon itself: its state, its tools, and who may frame its page."""

from fastapi import APIRouter, Depends

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import (
    Accepted,
    DaemonStatus,
    Draining,
    DrainInput,
    HubOriginInput,
    ToolList,
)

router = APIRouter(tags=["daemon"])


@router.get("/status", dependencies=[Depends(require("read"))])
async def get_status(services: ServicesDep) -> DaemonStatus:
    """Give the state of the daemon."""
    return await services.status()


@router.get("/tools", dependencies=[Depends(require("read"))])
async def list_tools(services: ServicesDep) -> ToolList:
    """Give every tool, and those that failed to import with their reason."""
    return services.tools()


@router.post("/drain", status_code=202, dependencies=[Depends(require("admin"))])
async def drain(given: DrainInput, services: ServicesDep) -> Draining:
    """Take no message any more, and stop once the last run has ended."""
    del given  # there is one way yet
    services.manager.places.close()
    return Draining(running=services.manager.places.taken)


@router.put("/auth/hub-origin", dependencies=[Depends(require("admin"))])
async def set_hub_origin(given: HubOriginInput, services: ServicesDep) -> Accepted:
    """Say which origin may frame this daemon's page."""
    services.hub_origin.set(given.origin)
    return Accepted()
