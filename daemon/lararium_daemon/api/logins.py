"""Logging in to GitHub for Copilot: begin, look, stop. The token never comes out."""

from fastapi import APIRouter, Depends

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.profiles import LoginInfo, LoginInput

router = APIRouter(tags=["models"], dependencies=[Depends(require("admin"))])


@router.post("/logins", status_code=201)
async def begin_login(given: LoginInput, services: ServicesDep) -> LoginInfo:
    """Give a code, and the page at GitHub where the person types it."""
    return await services.logins.begin(given)


@router.get("/logins/{login_id}")
async def show_login(login_id: str, services: ServicesDep) -> LoginInfo:
    """Say how a login stands; when it is `done` its profile is saved."""
    return services.logins.find(login_id)


@router.delete("/logins/{login_id}")
async def cancel_login(login_id: str, services: ServicesDep) -> LoginInfo:
    """Wait no longer for a login."""
    return services.logins.cancel(login_id)
