"""`/api/tour`: the tour in a fresh copy of its sample project, and its end."""

from collections.abc import Mapping
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, Depends

from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import Accepted
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_daemon.system.sample_project import copy_sample_project, remove_sample_project
from lararium_desktop.hub.services import Hub

router = APIRouter(prefix="/tour", tags=["tour"])
_CHANGE = [Depends(require("admin"))]
NAME = "lamp-oil"


def samples_folder(environment: Mapping[str, str]) -> Path:
    """Give where the copies lie: in sight of the person, and not among our own folders.

    Those no tool may touch, so the tour could not even read its sample there.
    """
    own_home = environment.get("LARARIUM_HOME", "")
    if own_home:
        return Path(own_home.rstrip("/\\") + "-tour")
    return Path(environment.get("HOME") or Path.home()) / "Lararium tour"


@router.post("", status_code=201, dependencies=_CHANGE)
async def begin_tour(hub: Hub) -> Workspace:
    """Make a fresh copy of the sample project and put it on the list."""
    folder = await to_thread.run_sync(copy_sample_project, hub.samples / NAME)
    entry = await to_thread.run_sync(lambda: hub.registry.add(str(folder), sample=True))
    await hub.pool.refresh()
    hub.feed.announce()
    for known in hub.workspaces():
        if known.id == entry.id:
            return known
    raise LarariumError("unknown_workspace", "The tour was removed meanwhile.", 404)


@router.delete("/{workspace}", dependencies=_CHANGE)
async def end_tour(hub: Hub, workspace: WorkspaceId) -> Accepted:
    """Stop the daemon of a sample project, delete its folder, take it off the list."""
    entry = await to_thread.run_sync(hub.registry.get, workspace)
    if not entry.sample:
        detail = f"{entry.name} is no sample of the tour; nothing was deleted."
        raise LarariumError("no_sample", detail, 409)
    await hub.pool.stop(workspace)
    await to_thread.run_sync(remove_sample_project, Path(entry.path))
    await to_thread.run_sync(hub.registry.remove, workspace)
    await hub.pool.refresh()
    hub.feed.announce()
    return Accepted()
