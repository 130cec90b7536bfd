"""`/api/native`: what a page may ask of the window, and the window's own channel."""

import logging

import anyio
from anyio import to_thread
from fastapi import APIRouter, Depends, WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from lararium_daemon.edge.frames import receive_frame
from lararium_daemon.edge.scopes import check_scope, require
from lararium_daemon.protocol.api import Accepted
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.protocol.hub import (
    FolderPicked,
    NativeReply,
    NativeRequest,
    OpenExternalInput,
    PickFolderInput,
    RevealInput,
    ShowInput,
    WindowShown,
)
from lararium_desktop.hub.external import check_external
from lararium_desktop.hub.inside import path_inside
from lararium_desktop.hub.native import Send, no_window
from lararium_desktop.hub.services import Hub, HubServices, hub_services
from lararium_desktop.hub.window_keeper import WindowProcess

logger = logging.getLogger(__name__)

router = APIRouter(prefix="/native", tags=["native"])
_USE = [Depends(require("admin"))]
LEAVE_CLOSE = 1000
"""Close code of a window that was closed."""
TAKEN_CLOSE = 4409
"""Close code for a second window."""


@router.post("/pick-folder", dependencies=_USE)
async def pick_folder(hub: Hub, given: PickFolderInput) -> FolderPicked:
    """Open the native folder dialog and wait for the person."""
    return FolderPicked(path=await hub.native.pick_folder(given.title))


@router.post("/open-external", dependencies=_USE)
async def open_external(hub: Hub, given: OpenExternalInput) -> Accepted:
    """Hand an address that the person has seen and confirmed to the system."""
    await hub.native.request("open_external", {"url": check_external(given.url)})
    return Accepted()


@router.post("/reveal", dependencies=_USE)
async def reveal(hub: Hub, given: RevealInput) -> Accepted:
    """Show a file or folder of a project in the file manager; nothing is opened or run."""
    if not hub.native.is_attached:
        raise no_window()  # the person sits at another screen than ours
    entry = await to_thread.run_sync(hub.registry.get, given.workspace_id)
    path = await to_thread.run_sync(path_inside, entry.path, given.path)
    await hub.file_manager.reveal(path, {**hub.environment, **hub.tray.display})
    return Accepted()


@router.post("/show", dependencies=_USE)
async def show(hub: Hub, given: ShowInput) -> WindowShown:
    """Bring the window to the front, or open one; show the given project in it."""
    if given.workspace_id is not None:
        await to_thread.run_sync(hub.registry.get, given.workspace_id)
    display = {str(name): value for name, value in given.display.items()}
    hub.tray.use_display(display)
    return await hub.opener.open(given.workspace_id, display=display)


@router.post("/page-ended", dependencies=[Depends(require("native"))])
async def page_ended(hub: Hub) -> Accepted:
    """Take the window's word that its page hung or crashed, before it is loaded again."""
    hub.shown.hold()
    hub.feed.announce()
    return Accepted()


@router.websocket("/channel")
async def channel(socket: WebSocket, pid: int = 0) -> None:
    """Carry requests to the window and its replies back; one window at a time.

    `pid` is the window's process, which the hub opens again when it ends without a word.
    """
    check_scope(socket, "native")
    hub = hub_services(socket)
    await socket.accept()

    process = WindowProcess(pid)
    try:
        async with hub.native.attach(sender(socket)):
            took_leave = await _serve_window(hub, socket)
        if not took_leave and not hub.quit.is_set():
            hub.keeper.lose(process)
    except LarariumError as error:
        logger.warning("A window was turned away: %s", error.detail)
        await socket.close(TAKEN_CLOSE, error.code)


def sender(socket: WebSocket) -> Send:
    """Give how to send to the window; its line may be gone before anybody has noticed."""

    async def send(request: NativeRequest) -> None:
        try:
            await socket.send_text(request.model_dump_json())
        except (WebSocketDisconnect, RuntimeError) as error:  # the second once it was noticed
            raise no_window() from error

    return send


async def _serve_window(hub: HubServices, socket: WebSocket) -> bool:
    """Serve until the line ends; give whether the window took leave."""
    took_leave = True
    async with anyio.create_task_group() as group:
        group.start_soon(_greet, hub)
        try:
            while True:
                hub.native.take(NativeReply.model_validate_json(await receive_frame(socket)))
        except WebSocketDisconnect as end:
            took_leave = end.code == LEAVE_CLOSE
            logger.info("The window left (%s)", end.code)
        except ValidationError:
            logger.warning("The window sent what is no reply")
            await socket.close(1003)
        group.cancel_scope.cancel()
    return took_leave


async def _greet(hub: HubServices) -> None:
    """Tell a new window which frames it may show; a page that is loaded already needs them."""
    try:
        await hub.allow_frames()
    except LarariumError as error:
        logger.warning("The window was not told its frames: %s", error.detail)
