"""One loopback socket: how it is bound, served and given back."""

import os
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest
from anyio.abc import TaskStatus
from fastapi import FastAPI, WebSocket
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from lararium_daemon.edge.server import bind_loopback, bound_port, serve_app

pytestmark = pytest.mark.anyio


def test_a_socket_is_bound_to_loopback_and_no_child_inherits_it() -> None:
    with bind_loopback() as sock:
        assert sock.getsockname()[0] == "127.0.0.1"
        assert bound_port(sock) > 0
        assert not os.get_inheritable(sock.fileno())


def test_a_taken_port_is_an_error() -> None:
    with bind_loopback() as sock, pytest.raises(OSError, match="in use"):
        sock.listen()
        bind_loopback(bound_port(sock))


class Served:
    """An app that notes its life, and the server that serves it."""

    def __init__(self, *, fails: bool = False) -> None:
        self.story: list[str] = []
        self.stop = anyio.Event()
        self.sock = bind_loopback()
        self.port = bound_port(self.sock)
        self.app = FastAPI(lifespan=self._broken if fails else self._lifespan)
        self.app.websocket("/")(self._socket)

    @asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncGenerator[None]:
        self.story.append("starts")
        yield
        self.story.append("ends")

    @asynccontextmanager
    async def _broken(self, _: FastAPI) -> AsyncGenerator[None]:
        raise OSError("no database")
        yield

    async def _socket(self, socket: WebSocket) -> None:
        await socket.accept()
        async for _ in socket.iter_text():
            pass

    async def serve(self, *, task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED) -> None:
        async def on_listening() -> None:
            self.story.append("listens")
            task_status.started()

        await serve_app(self.app, self.sock, on_listening=on_listening, stop=self.stop)


def is_open(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


async def test_it_listens_after_the_start_and_ends_when_told() -> None:
    served = Served()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            await group.start(served.serve)
            assert is_open(served.port)
            served.stop.set()
    assert served.story == ["starts", "listens", "ends"]
    assert served.sock.fileno() == -1
    assert not is_open(served.port)


async def test_a_cancelled_server_still_ends_its_lifespan() -> None:
    served = Served()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            await group.start(served.serve)
            group.cancel_scope.cancel()
    assert served.story == ["starts", "listens", "ends"]
    assert not is_open(served.port)


async def test_a_lifespan_that_breaks_is_an_error_and_frees_the_port() -> None:
    served = Served(fails=True)
    with pytest.raises(RuntimeError, match="did not start"):
        await served.serve()
    assert served.story == []
    assert served.sock.fileno() == -1


async def test_an_open_websocket_is_closed_at_the_end() -> None:
    served = Served()

    def stay() -> int:
        with connect(f"ws://127.0.0.1:{served.port}/", proxy=None) as client:
            client.send("here")
            anyio.from_thread.run_sync(served.stop.set)
            try:
                client.recv(timeout=10)
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 0
            return 0

    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            await group.start(served.serve)
            assert await anyio.to_thread.run_sync(stay) == 1012


async def test_a_server_returns_to_its_old_port_at_once() -> None:
    first = Served()
    with anyio.fail_after(10):
        async with anyio.create_task_group() as group:
            await group.start(first.serve)
            assert is_open(first.port)
            first.stop.set()
    with bind_loopback(first.port) as again:
        assert bound_port(again) == first.port
