"""Model servers: what is found, what is saved, what new sessions use.

Everything that touches a key needs scope `admin`; a key goes in and never comes out.
"""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from lararium_daemon.api.deps import ServicesDep
from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import ModelList
from lararium_daemon.protocol.profiles import (
    DefaultModelInput,
    FoundList,
    ProfileChecked,
    ProfileCheckInput,
    ProfileInfo,
    ProfileInput,
    ProfileList,
    ProfileName,
    ProfilePatchInput,
    ProfileRemoved,
)

router = APIRouter(tags=["models"])
_ADMIN = [Depends(require("admin"))]
_READ = [Depends(require("read"))]


@router.get("/models", dependencies=_READ)
async def list_models(
    services: ServicesDep, profile: Annotated[str | None, Query(max_length=80)] = None
) -> ModelList:
    """Give the models of a profile's server; `problem` says why the list is short."""
    return await services.profiles.models(profile)


@router.get("/models/discovered", dependencies=_READ)
async def discover_models(services: ServicesDep) -> FoundList:
    """Look for model servers on this machine and keys in the environment, now."""
    return await services.profiles.discovered()


@router.put("/models/default", dependencies=_ADMIN)
async def set_default_model(given: DefaultModelInput, services: ServicesDep) -> ProfileList:
    """Choose what new sessions use."""
    return await services.profiles.set_default(given)


@router.get("/profiles", dependencies=_ADMIN)
async def list_profiles(services: ServicesDep) -> ProfileList:
    """Give every profile, keys masked."""
    return await services.profiles.profiles()


@router.post("/profiles", status_code=201, dependencies=_ADMIN)
async def save_profile(given: ProfileInput, services: ServicesDep) -> ProfileInfo:
    """Save a profile and its key."""
    return await services.profiles.save(given)


@router.post("/profiles/check", dependencies=_ADMIN)
async def check_profile(given: ProfileCheckInput, services: ServicesDep) -> ProfileChecked:
    """Try an address and a key; nothing is kept."""
    return await services.profiles.check(given)


@router.patch("/profiles/{name}", dependencies=_ADMIN)
async def change_profile(
    name: ProfileName, given: ProfilePatchInput, services: ServicesDep
) -> ProfileInfo:
    """Change what is given of a profile."""
    return await services.profiles.change(name, given)


@router.delete("/profiles/{name}", dependencies=_ADMIN)
async def remove_profile(name: ProfileName, services: ServicesDep) -> ProfileRemoved:
    """Remove a profile and its key."""
    return await services.profiles.remove(name)
