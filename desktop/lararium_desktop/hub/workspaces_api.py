"""`/api/workspaces`: the list of projects, and their daemons."""

from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Depends

from lararium_daemon.edge.scopes import require
from lararium_daemon.protocol.api import Accepted
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import (
    Workspace,
    WorkspaceAddInput,
    WorkspaceList,
    WorkspaceOpened,
    WorkspacePatchInput,
)
from lararium_daemon.protocol.ids import WorkspaceId
from lararium_desktop.hub.services import Hub, HubServices

router = APIRouter(prefix="/workspaces", tags=["workspaces"])
_READ = [Depends(require("read"))]
_CHANGE = [Depends(require("admin"))]


@router.get("", dependencies=_READ)
async def list_workspaces(hub: Hub) -> WorkspaceList:
    """Every project, in the person's order."""
    await hub.pool.refresh()
    return WorkspaceList(items=hub.workspaces(), notices=hub.registry.notices)


@router.post("", status_code=201, dependencies=_CHANGE)
async def add_workspace(hub: Hub, given: WorkspaceAddInput) -> Workspace:
    """Register a folder; one that is registered already is given back."""
    entry = await to_thread.run_sync(lambda: hub.registry.add(given.path, nested=given.nested))
    return await _present(hub, entry.id)


@router.patch("/{workspace}", dependencies=_CHANGE)
async def change_workspace(
    hub: Hub, workspace: WorkspaceId, given: WorkspacePatchInput
) -> Workspace:
    """Rename a project, pin it, put it at another place of the list."""
    registry = hub.registry
    if given.name is not None:
        await to_thread.run_sync(registry.rename, workspace, given.name)
    if (pinned := given.pinned) is not None:
        await to_thread.run_sync(lambda: registry.pin(workspace, pinned=pinned))
    if given.place is not None:
        await to_thread.run_sync(registry.move, workspace, given.place)
    return await _present(hub, workspace)


@router.delete("/{workspace}", dependencies=_CHANGE)
async def remove_workspace(hub: Hub, workspace: WorkspaceId) -> Accepted:
    """Take a project off the list; its daemon goes on, its folder and sessions stay."""
    await to_thread.run_sync(hub.registry.remove, workspace)
    await hub.pool.refresh()
    hub.feed.announce()
    return Accepted()


@router.post("/{workspace}/open", dependencies=_CHANGE)
async def open_workspace(hub: Hub, workspace: WorkspaceId) -> WorkspaceOpened:
    """Start or wake the daemon; the page's address carries a one-time ticket.

    Its fragment names the session that was in front last, too.
    """
    hub.front.load(workspace, hub.shown.last_session(workspace))
    opened = await hub.pool.open(workspace)
    return await _show(hub, workspace, opened)


@router.post("/{workspace}/restart", dependencies=_CHANGE)
async def restart_workspace(hub: Hub, workspace: WorkspaceId) -> WorkspaceOpened:
    """Stop the daemon with its tools, then start it again."""
    opened = await hub.pool.restart(workspace)
    return await _show(hub, workspace, opened)


@router.post("/{workspace}/safe-start", dependencies=_CHANGE)
async def start_workspace_safely(hub: Hub, workspace: WorkspaceId) -> WorkspaceOpened:
    """Stop the daemon, then start it without anything that the project brings."""
    opened = await hub.pool.safe_start(workspace)
    return await _show(hub, workspace, opened)


@router.post("/{workspace}/stop", dependencies=_CHANGE)
async def stop_workspace(hub: Hub, workspace: WorkspaceId) -> Accepted:
    """Stop the daemon with its tools; none running is no error."""
    await hub.pool.stop(workspace)
    return Accepted()


@router.post("/{workspace}/seen", dependencies=_CHANGE)
async def note_seen(hub: Hub, workspace: WorkspaceId) -> Accepted:
    """Note that a page shows this project, so that the next one begins with it."""
    entry = await to_thread.run_sync(hub.registry.get, workspace)
    await to_thread.run_sync(hub.shown.note, entry.id)
    return Accepted()


async def _show(
    hub: HubServices, workspace: WorkspaceId, opened: WorkspaceOpened
) -> WorkspaceOpened:
    # The window refuses frames it does not know, so it learns of this one before the page does.
    await hub.allow_frames()
    await to_thread.run_sync(hub.shown.note, workspace)
    hub.shown.release(workspace)
    session = hub.shown.last_session(workspace)
    hub.front.load(workspace, session)
    if session is None:
        return opened
    return opened.model_copy(update={"page_url": f"{opened.page_url}&session={quote(session)}"})


async def _present(hub: HubServices, workspace: WorkspaceId) -> Workspace:
    await hub.pool.refresh()
    for known in hub.workspaces():
        if known.id == workspace:
            return known
    raise LarariumError("unknown_workspace", "The project was removed meanwhile.", 404)
