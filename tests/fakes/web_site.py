"""A web site on this machine whose answers a test writes byte by byte."""

import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from lararium_daemon.tools.web_address import Resolve, WebAddress


@dataclass
class WebSite:
    """Answers each path with raw bytes, once a connection; keeps what it was asked."""

    port: int
    answers: dict[str, bytes] = field(default_factory=dict[str, bytes])
    requests: list[bytes] = field(default_factory=list[bytes])
    asked: threading.Event = field(default_factory=threading.Event)
    """Set once something was asked."""
    slow: threading.Event = field(default_factory=threading.Event)
    """Set to let a path that begins with /slow go on."""

    def page(self, path: str, body: str | bytes, *headers: str, status: str = "200 OK") -> str:
        """Set an answer; give its address."""
        data = body.encode() if isinstance(body, str) else body
        head = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", *headers, "", ""]
        self.answers[path] = "\r\n".join(head).encode() + data
        return f"http://site.example:{self.port}{path}"

    def judge(self, address: WebAddress, resolve: Resolve) -> str:
        """Take every host for this site."""
        return "127.0.0.1"


@contextmanager
def web_site() -> Generator[WebSite]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        site = WebSite(server.getsockname()[1])
        server.settimeout(0.1)
        stop = threading.Event()
        thread = threading.Thread(target=_serve, args=(server, site, stop))
        thread.start()
        yield site
        stop.set()
        site.slow.set()
        thread.join(10)


def _serve(server: socket.socket, site: WebSite, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            client, _ = server.accept()
        except TimeoutError:
            continue
        client.settimeout(5)
        with client:
            try:
                request = client.recv(65536)
            except OSError:
                continue
            site.requests.append(request)
            site.asked.set()
            path = request.split(b" ")[1].decode("latin-1") if b" " in request else ""
            answer = site.answers.get(
                path, b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"
            )
            if path.startswith("/slow"):
                client.sendall(answer[:20])
                site.slow.wait(20)
            else:
                client.sendall(answer)
