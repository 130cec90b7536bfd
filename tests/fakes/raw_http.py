"""HTTP by hand: requests that no client library would send, and their answers."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPResponse
from typing import Any

import orjson

SECONDS = 10.0
Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    """By lower-case name."""
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def code(self) -> str:
        """The problem's code; "" when the answer is no problem."""
        if self.headers.get("content-type") != "application/problem+json":
            return ""
        return self.json["code"] if self.body else ""


def head(method: str, path: str, headers: Headers) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def send_bytes(port: int, data: bytes, *, method: str = "GET") -> Answer:
    """Send these bytes on a new connection and read one answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS) as sock:
        sock.sendall(data)
        response = HTTPResponse(sock, method=method)
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        body = b"" if response.status == 101 else response.read()
        response.close()
        return Answer(response.status, headers, body)


def send(port: int, method: str, path: str, headers: Headers = (), body: bytes = b"") -> Answer:
    """Send a request with exactly these headers, and a content length when there is a body."""
    length = [("Content-Length", str(len(body)))] if body else []
    return send_bytes(port, head(method, path, [*headers, *length]) + body, method=method)
