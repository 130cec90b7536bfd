"""A small real server behind the real guard: one route of each kind, on a real socket."""

import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from anyio.from_thread import start_blocking_portal
from fastapi import APIRouter, Depends, FastAPI, Request, WebSocket, WebSocketDisconnect

from lararium_daemon.edge.auth_api import AuthServer, include_auth, set_auth_server
from lararium_daemon.edge.credentials import Credentials, new_token
from lararium_daemon.edge.frames import receive_frame
from lararium_daemon.edge.framing import HubOrigin
from lararium_daemon.edge.guard import Guard
from lararium_daemon.edge.judge import GuardPolicy
from lararium_daemon.edge.page import PageApp, with_page
from lararium_daemon.edge.problem import install_problem_handlers
from lararium_daemon.edge.scopes import granted_scopes, require
from lararium_daemon.edge.server import bind_loopback, bound_port, serve_app
from lararium_daemon.protocol.api import Input

GUID = "guid-of-the-guarded-site"
UPLOAD_PATH = re.compile(r"/api/sessions/[^/]+/attachments/[^/]+")


class Titled(Input):
    title: str


@dataclass
class GuardedSite:
    """What a test may look at."""

    port: int
    credentials: Credentials
    guard: Guard
    hub_origin: HubOrigin
    calls: list[str] = field(default_factory=list[str])
    """The routes that ran, in order."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.credentials.token


@contextmanager
def guarded_site(static: Path) -> Generator[GuardedSite]:
    sock = bind_loopback()
    port = bound_port(sock)
    credentials = Credentials(new_token())
    hub_origin = HubOrigin()
    calls: list[str] = []
    api = FastAPI(openapi_url=None)
    install_problem_handlers(api)
    set_auth_server(api, AuthServer("daemon", GUID, lambda: port, credentials))
    include_auth(api)
    api.include_router(_routes(calls), prefix="/api")
    page = PageApp(static, port=port, hub_origin=hub_origin)
    policy = GuardPolicy(port, upload_path=UPLOAD_PATH)
    guard = Guard(with_page(api, page), policy, credentials)
    site = GuardedSite(port, credentials, guard, hub_origin, calls)
    with start_blocking_portal("asyncio") as portal:
        stop = portal.call(anyio.Event)
        listening = portal.call(anyio.Event)

        async def on_listening() -> None:
            listening.set()

        async def serve() -> None:
            await serve_app(guard, sock, on_listening=on_listening, stop=stop)

        served = portal.start_task_soon(serve)
        portal.call(listening.wait)
        yield site
        portal.call(stop.set)
        served.result(timeout=15)


def _routes(calls: list[str]) -> APIRouter:
    router = APIRouter()

    @router.get("/sessions", dependencies=[Depends(require("read"))])
    async def read() -> list[str]:
        calls.append("read")
        return ["one"]

    @router.post("/sessions", status_code=201, dependencies=[Depends(require("prompt"))])
    async def create(given: Titled) -> Titled:
        calls.append("create")
        return given

    @router.put("/sessions/{session_id}/attachments/{name}")
    async def upload(request: Request) -> int:
        calls.append("upload")
        return len(await request.body())

    @router.post("/rules", dependencies=[Depends(require("admin"))])
    async def administer() -> None:
        calls.append("administer")

    @router.get("/breaks")
    async def break_down() -> None:
        calls.append("break")
        raise ZeroDivisionError

    @router.websocket("/events")
    async def events(socket: WebSocket) -> None:
        calls.append("events")
        await socket.accept(subprotocol="lar.v1" if socket.scope["subprotocols"] else None)
        await socket.send_json({
            "scopes": sorted(granted_scopes(socket)),
            "offered": socket.scope["subprotocols"],
        })
        await socket.close()

    @router.websocket("/echo")
    async def echo(socket: WebSocket) -> None:
        calls.append("echo")
        await socket.accept()
        try:
            while True:
                frame = await receive_frame(socket)
                await socket.send_text(frame if isinstance(frame, str) else frame.decode())
        except WebSocketDisconnect:
            await socket.close(1013)  # too late: the client has left

    _ = (read, create, upload, administer, break_down, events, echo)
    return router
