"""`/api/events` of the hub: one topic, `shell`, whose whole state is sent after each change."""

import logging
from dataclasses import dataclass, field
from typing import Literal

import anyio
from fastapi import APIRouter, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, Field, ValidationError

from lararium_daemon.edge.frames import receive_frame
from lararium_daemon.edge.scopes import check_scope
from lararium_daemon.protocol.stream import SUBPROTOCOL
from lararium_desktop.hub.services import HubServices, hub_services

logger = logging.getLogger(__name__)

router = APIRouter()
HEARTBEAT_SECONDS = 15.0
SEND_SECONDS = 10.0
"""A page that takes nothing for so long is given up; it comes back and gets the whole state."""


class ShellMessage(BaseModel):
    """What a page sends: follow the shell, or ask whether the hub is there."""

    type: Literal["subscribe", "ping"]
    topic: Literal["shell"] = "shell"
    page: str = Field(default="", max_length=64)
    """The name under which the page says what it shows: with the socket, that ends too."""


@dataclass(slots=True)
class _Follower:
    subscribed: anyio.Event = field(default_factory=anyio.Event)
    page: str = ""


@router.websocket("/events")
async def events(socket: WebSocket) -> None:
    """Follow the shell."""
    check_scope(socket, "read")
    offered = socket.scope.get("subprotocols", [])
    await socket.accept(subprotocol=SUBPROTOCOL if SUBPROTOCOL in offered else None)
    hub, follower = hub_services(socket), _Follower()
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_publish, hub, socket, follower.subscribed, group.cancel_scope)
            try:
                while True:
                    await _take(socket, await receive_frame(socket), follower)
            except WebSocketDisconnect:
                logger.debug("A page left")
            except ValidationError:
                await socket.close(1003, "unknown_message")
            group.cancel_scope.cancel()
    finally:
        hub.front.leave(follower.page)
        hub.notifier.look()


async def _take(socket: WebSocket, frame: str | bytes, follower: _Follower) -> None:
    message = ShellMessage.model_validate_json(frame)
    if message.type == "subscribe":
        follower.page = message.page
        follower.subscribed.set()
    else:
        await socket.send_text('{"type":"pong"}')


async def _publish(
    hub: HubServices, socket: WebSocket, subscribed: anyio.Event, scope: anyio.CancelScope
) -> None:
    await subscribed.wait()
    version = -1
    try:
        with hub.feed.followed():
            while True:
                with anyio.move_on_after(HEARTBEAT_SECONDS):
                    version = await hub.feed.wait_newer(version)
                with anyio.fail_after(SEND_SECONDS):
                    await socket.send_text(hub.shell_state().model_dump_json())
    except (TimeoutError, WebSocketDisconnect):
        scope.cancel()
