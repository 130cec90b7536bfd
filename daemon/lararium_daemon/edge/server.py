"""One ASGI server on one loopback socket, for daemon and hub alike.

uvicorn with what it leaves open closed: no proxy headers, no server name, no access log, no
compression, no signal handlers of its own, and the connection limits of `connection.py`.
"""

import socket
import sys
from collections.abc import Awaitable, Callable

import anyio
import uvicorn
from starlette.types import ASGIApp

from lararium_daemon.edge.connection import BoundedHttpProtocol, RefusableWebSocketProtocol

WS_MESSAGE_BYTES = 1024 * 1024
GRACE_SECONDS = 3
SHUTDOWN_SECONDS = 10


def bind_loopback(port: int = 0) -> socket.socket:
    """Bind 127.0.0.1, where port 0 means any free port; the caller owns the socket.

    The socket does not listen yet and no child process inherits it.

    Raises:
        OSError: the port is taken.
    """
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # A server that restarts on its old port must not wait for TIME_WAIT to pass.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(("127.0.0.1", port))
    except OSError:
        sock.close()
        raise
    return sock


def bound_port(sock: socket.socket) -> int:
    """Give the port that the socket was bound to."""
    return int(sock.getsockname()[1])


async def serve_app(
    app: ASGIApp,
    sock: socket.socket,
    *,
    on_listening: Callable[[], Awaitable[None]],
    stop: anyio.Event | None = None,
) -> None:
    """Serve the app, lifespan included, until `stop` is set or the caller's scope is cancelled.

    `on_listening` runs after the lifespan's start, when connections are taken. The end is bounded:
    open requests get three seconds, then the lifespan's end runs; the socket is closed.

    Raises:
        RuntimeError: the app's lifespan did not start.
    """
    config = _config(app)
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    await _start(server, sock)
    try:
        await on_listening()
        await (stop.wait() if stop is not None else anyio.sleep_forever())
    finally:
        with anyio.move_on_after(SHUTDOWN_SECONDS, shield=True):
            await server.shutdown(sockets=[sock])


async def _start(server: uvicorn.Server, sock: socket.socket) -> None:
    try:
        await server.startup(sockets=[sock])
    except SystemExit as error:
        sock.close()
        raise RuntimeError("the app did not start") from error


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=BoundedHttpProtocol,
        ws=RefusableWebSocketProtocol,
        ws_max_size=WS_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        lifespan="on",
        interface="asgi3",
        log_config=None,
        # At INFO uvicorn writes the query strings of WebSocket handshakes.
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
