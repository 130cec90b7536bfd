"""Things that may listen where a model server is looked for: model servers, and what is none."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

from tests.fakes.llm_server import FakeLlm, listen

from lararium_daemon.providers.known_servers import LOCAL_SERVERS, LocalServer

OLLAMA, LM_STUDIO, LLAMA, VLLM = LOCAL_SERVERS


def at(server: LocalServer, where: FakeLlm | int) -> LocalServer:
    """Give the known server, looked for at another port."""
    port = where if isinstance(where, int) else urlsplit(where.base_url).port
    assert port is not None
    return replace(server, port=port)


@contextmanager
def answering(reply: bytes, *, then_close: bool = True) -> Generator[int]:
    """Answer every connection with these bytes; give the port."""
    sock = listen()
    sock.listen()
    open_ones: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                connection, _ = sock.accept()
            except OSError:
                return
            if reply:
                connection.recv(65536)
                connection.sendall(reply)
            if then_close:
                connection.close()
            else:
                open_ones.append(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield sock.getsockname()[1]
    finally:
        sock.shutdown(socket.SHUT_RDWR)
        sock.close()
        thread.join(5)
        for connection in open_ones:
            connection.close()


def http(body: str, status: str = "200 OK", kind: str = "application/json") -> bytes:
    """Write an answer."""
    data = body.encode()
    head = f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(data)}\r\n"
    return f"{head}connection: close\r\n\r\n".encode() + data


def free_port() -> int:
    """Give a port where nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def of_another_user(port: int) -> bool:
    """Say of every listener that it is somebody else's."""
    del port
    return False
