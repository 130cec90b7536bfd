"""A server of a test's own that poses as a daemon or as the hub, with a page the test wants.

Run as a program: `posing_server.py daemon FOLDER PAGE` is found by the hub as that folder's daemon,
`posing_server.py hub - PAGE` by a window as its hub; both prove themselves with a token of their
own, and serve PAGE at `/` without any security header. Each listens at two ports, so at two
origins. What is sent to `/hit/…` at either is kept; the main port's `GET /hits` gives it. The line
it prints is `{"url": …, "foreign": …}`.
"""

import json
import os
import secrets
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from lararium_daemon.edge.proof import prove
from lararium_daemon.edge.server import bind_loopback, bound_port
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import ensure_private_dir, resolve_paths
from lararium_daemon.system.runtime import own_record, write_runtime
from lararium_desktop.system.hub_files import HubPaths, publish

ANY = ["GET", "POST", "PUT"]


@dataclass
class Pose:
    role: str
    page: Path
    port: int
    foreign: int
    guid: str = field(default_factory=lambda: secrets.token_hex(16))
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    hits: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def foreign_url(self) -> str:
        return f"http://127.0.0.1:{self.foreign}"

    async def prove(self, request: Request) -> Response:
        kind = "hub" if self.role == "hub" else "daemon"
        nonce = (await request.json())["nonce"]
        return JSONResponse({"proof": prove(self.token, kind, self.guid, self.port, nonce)})

    async def show(self, request: Request) -> Response:
        text = self.page.read_text(encoding="utf-8").replace("FOREIGN", self.foreign_url)
        return HTMLResponse(text)

    async def hit(self, request: Request) -> Response:
        name = request.path_params["name"]
        body = (await request.body()).decode("utf-8", "replace")
        is_foreign = request.url.port == self.foreign
        self.hits.append({"name": name, "foreign": is_foreign, "body": body})
        if name == "download":
            headers = {"Content-Disposition": 'attachment; filename="loot.txt"'}
            return PlainTextResponse("loot", headers=headers)
        return PlainTextResponse(name)

    def answer(self, content: Any) -> Any:
        async def endpoint(_request: Request) -> Response:
            return JSONResponse(content)

        return endpoint


async def hold(socket: WebSocket) -> None:
    """Be the hub's native channel, which asks for nothing."""
    await socket.accept()
    while (await socket.receive())["type"] != "websocket.disconnect":
        pass


def application(pose: Pose) -> Starlette:
    async def hits(_request: Request) -> Response:
        return JSONResponse(pose.hits)

    health = {"guid": pose.guid, "api_version": {"major": 1, "minor": 0}}
    link = {"url": f"{pose.url}/#t=1", "expires_in": 600}
    return Starlette(
        routes=[
            Route("/api/health", pose.answer(health)),
            Route("/api/auth/prove", pose.prove, methods=["POST"]),
            Route("/api/auth/hub-origin", pose.answer({"ok": True}), methods=["PUT"]),
            Route("/api/auth/tickets", pose.answer({"ticket": "1"}), methods=["POST"]),
            Route("/api/page-link", pose.answer(link), methods=["POST"]),
            WebSocketRoute("/api/native/channel", hold),
            Route("/hits", hits),
            Route("/hit/{name}", pose.hit, methods=ANY),
            Route("/", pose.show),
        ]
    )


def announce(pose: Pose, folder: str) -> None:
    """Write where the pose listens, as what it poses as does."""
    paths = resolve_paths(read_environment())
    record = own_record(guid=pose.guid, port=pose.port, api_version=(1, 0), app_version="0")
    if pose.role == "hub":
        publish(HubPaths(ensure_private_dir(paths.state / "hub")), record, pose.token)
    else:
        places = paths.workspace(Path(folder))
        ensure_private_dir(places.state_dir)
        write_runtime(places, record, pose.token)


def main(role: str, folder: str, page: str) -> None:
    sockets = [bind_loopback(0), bind_loopback(0)]
    port, foreign = (bound_port(each) for each in sockets)
    pose = Pose(role, Path(page), port, foreign)
    config = uvicorn.Config(application(pose), log_level="warning", ws="websockets-sansio")
    announce(pose, folder)
    line = json.dumps({"url": pose.url, "foreign": pose.foreign_url})
    os.write(1, line.encode() + b"\n")
    uvicorn.Server(config).run(sockets=sockets)


if __name__ == "__main__":
    main(*sys.argv[1:])
