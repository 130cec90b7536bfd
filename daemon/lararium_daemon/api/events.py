"""The WebSocket `/api/events`: one a client, for many sessions, the list of them and attention.

Three tasks a client: one reads what it asks, one sends what waits in its feed, one beats. A client
that does not take what it is sent for five seconds is let go; it loses nothing it cannot get again.
"""

import logging
from typing import assert_never

import anyio
import orjson
from anyio.abc import TaskGroup
from fastapi import APIRouter, WebSocket
from pydantic import ValidationError
from starlette.websockets import WebSocketDisconnect, WebSocketState

from lararium_daemon.api.attention import follow_attention
from lararium_daemon.api.deps import Services, get_services
from lararium_daemon.edge.scopes import check_scope
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.protocol.stream import (
    CLIENT_MESSAGE,
    SUBPROTOCOL,
    ClientMessage,
    Heartbeat,
    Ping,
    SubscribeSession,
    SubscribeTopic,
    Unsubscribe,
)
from lararium_daemon.sessions.feed import Feed, Outgoing
from lararium_daemon.sessions.session import Session

logger = logging.getLogger(__name__)

FRAME_SECONDS = 0.016
HEARTBEAT_SECONDS = 15.0
SEND_SECONDS = 5.0
CLOSE_SECONDS = 1.0
MAX_SESSIONS = 256
TRY_AGAIN_LATER = 1013
_GONE = 1006

_PONG = b'{"type":"pong"}'


def events_router(
    *, heartbeat_seconds: float = HEARTBEAT_SECONDS, send_seconds: float = SEND_SECONDS
) -> APIRouter:
    """Give the route of the WebSocket."""
    router = APIRouter()

    @router.websocket("/events")
    async def events(socket: WebSocket) -> None:
        check_scope(socket, "read")
        services = get_services(socket)
        clients = services.clients
        if clients.open >= clients.limit:
            detail = f"{clients.limit} clients follow this daemon already. Close one and try again."
            raise LarariumError("too_many_clients", detail, 503)
        offered = SUBPROTOCOL in socket.scope["subprotocols"]
        clients.open += 1
        try:
            await socket.accept(subprotocol=SUBPROTOCOL if offered else None)
            await _Client(socket, services, heartbeat_seconds, send_seconds).serve()
        finally:
            clients.open -= 1

    _ = events  # reached through the router only
    return router


class _Client:
    """One connection."""

    def __init__(
        self,
        socket: WebSocket,
        services: Services,
        heartbeat_seconds: float,
        send_seconds: float,
    ) -> None:
        self._socket = socket
        self._library = services.library
        self._clients = services.clients
        self._feed = Feed(services.library.epoch)
        self._sessions: dict[SessionId, Session] = {}
        self._is_visible = True
        self._watches = False
        self._looks = False
        self._attending: anyio.CancelScope | None = None
        self._heartbeat_seconds = heartbeat_seconds
        self._send_seconds = send_seconds

    async def serve(self) -> None:
        """Serve until either side ends it."""
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._send)
                tasks.start_soon(self._beat)
                await self._read(tasks)
                tasks.cancel_scope.cancel()
        except* WebSocketDisconnect:
            pass  # it went away while something was sent
        except* TimeoutError:
            logger.info("A client took nothing for %s s and was let go", self._send_seconds)
        finally:
            self._clients.look(-self._looks)
            self._library.unwatch(self._feed)
            for session in self._sessions.values():
                session.unfollow(self._feed)
        with anyio.move_on_after(CLOSE_SECONDS):
            if self._socket.application_state is WebSocketState.CONNECTED:
                await self._socket.close(TRY_AGAIN_LATER)

    async def _read(self, tasks: TaskGroup) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            try:
                asked = CLIENT_MESSAGE.validate_json(
                    message.get("text") or message.get("bytes") or b""
                )
            except ValidationError:
                self._refuse("invalid_message", "This is no message of the protocol lar.v1.")
                continue
            await self._answer(asked, tasks)
            self._note_look(asked)

    async def _answer(self, asked: ClientMessage, tasks: TaskGroup) -> None:
        match asked:
            case SubscribeSession():
                await self._subscribe(asked)
            case SubscribeTopic(topic="sessions"):
                self._watches = True
                self._library.watch(self._feed)
            case SubscribeTopic():
                self._inattend()
                self._attending = anyio.CancelScope()
                tasks.start_soon(self._attend, self._attending, asked.after_seq)
            case Unsubscribe():
                self._unsubscribe(asked)
            case Ping():
                self._feed.put_message(_PONG)
            case _:
                assert_never(asked)

    async def _subscribe(self, asked: SubscribeSession) -> None:
        if len(self._sessions) >= MAX_SESSIONS and asked.session_id not in self._sessions:
            self._refuse("too_many_sessions", f"At most {MAX_SESSIONS} a client.", asked.session_id)
            return
        try:
            session = await self._library.get(asked.session_id)
        except LarariumError as error:
            self._refuse(error.code, error.detail, asked.session_id)
            return
        self._sessions[session.id] = session
        session.follow(self._feed, asked.after_seq, asked.epoch)

    async def _attend(self, scope: anyio.CancelScope, after_seq: int) -> None:
        with scope:
            await follow_attention(self._library, self._feed, after_seq)

    def _inattend(self) -> None:
        if self._attending is not None:
            self._attending.cancel()
            self._attending = None

    def _note_look(self, asked: ClientMessage) -> None:
        if isinstance(asked, SubscribeSession | SubscribeTopic) and asked.visible is not None:
            self._is_visible = asked.visible
        looks = self._is_visible and (self._watches or bool(self._sessions))
        self._clients.look(looks - self._looks)
        self._looks = looks

    def _unsubscribe(self, asked: Unsubscribe) -> None:
        if asked.topic == "sessions":
            self._watches = False
            self._library.unwatch(self._feed)
        elif asked.topic == "attention":
            self._inattend()
        session = self._sessions.pop(asked.session_id, None) if asked.session_id else None
        if session is not None:
            session.unfollow(self._feed)

    def _refuse(self, code: str, detail: str, session_id: SessionId | None = None) -> None:
        message = {"type": "error", "code": code, "detail": detail, "session_id": session_id}
        self._feed.put_message(orjson.dumps(message))

    async def _send(self) -> None:
        while True:
            await self._feed.filled()
            for item in self._feed.take():
                await self._send_frame(_frame(item))
            with anyio.move_on_after(FRAME_SECONDS):
                await self._feed.urgent()

    async def _send_frame(self, frame: str) -> None:
        try:
            with anyio.fail_after(self._send_seconds):
                await self._socket.send_text(frame)
        except RuntimeError as error:  # the server gave the peer up by a ping of its own
            raise WebSocketDisconnect(_GONE) from error

    async def _beat(self) -> None:
        while True:
            await anyio.sleep(self._heartbeat_seconds)
            followed = self._feed.sessions
            counts = {s.id: s.fold.counts() for s in self._sessions.values() if s.id in followed}
            self._feed.put_message(Heartbeat(sessions=counts).model_dump_json().encode())


def _frame(item: Outgoing) -> str:
    if item.kind == "event":
        return f'{{"type":"event","event":{item.data.decode()}}}'
    return item.data.decode()
