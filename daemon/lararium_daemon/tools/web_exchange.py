"""One page from the web over HTTP/1.1: every hop judged by its number, bounded in size and time.

The socket is connected to the number that was judged and to no other; the name is only told to the
server. Redirects to another host are given back, not followed: rules are per host. Blocks; `abort`
from another thread ends it.
"""

import socket
import ssl
import time
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse

import truststore

from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.web_address import (
    Resolve,
    WebAddress,
    parse_address,
    public_number,
    system_numbers,
)

MAX_BYTES = 5 * 1024 * 1024
MAX_SECONDS = 30.0
CONNECT_SECONDS = 10.0
MAX_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_READ_BYTES = 64 * 1024
_AGENT = "Lararium/0.1 (+an agent, for the person who asked)"


@dataclass(slots=True, frozen=True)
class Page:
    """What a server answered."""

    address: WebAddress
    status: int
    content_type: str
    body: bytes
    is_whole: bool
    redirect: str = ""
    """Where it sends on, when that is another host."""


def _system_context() -> ssl.SSLContext:
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass(slots=True)
class WebExchange:
    """Fetches one page; used once."""

    resolve: Resolve = system_numbers
    judge: Callable[[WebAddress, Resolve], str] = public_number
    """Gives the number to connect to, or refuses."""
    tls: Callable[[], ssl.SSLContext] = _system_context
    max_bytes: int = MAX_BYTES
    max_seconds: float = MAX_SECONDS
    _socket: socket.socket | None = None
    _is_aborted: bool = False
    _end: float = field(default=0.0)

    def fetch(self, address: WebAddress) -> Page:
        """Fetch a page.

        Raises:
            ToolFailure: it cannot be had; the text says why.
        """
        self._end = time.monotonic() + self.max_seconds
        for _ in range(MAX_HOPS):
            page, location = self._ask(address)
            if not location:
                return page
            following = parse_address(location, address)
            if following.host != address.host or _is_weaker(following, address):
                return Page(address, page.status, "", b"", is_whole=True, redirect=following.url)
            address = following
        raise ToolFailure(f"It redirected more than {MAX_HOPS} times.", "too many redirects")

    def abort(self) -> None:
        """End it from another thread, at once."""
        self._is_aborted = True
        sock = self._socket
        if sock is not None:
            with suppress(OSError):  # it may have ended by itself
                sock.shutdown(socket.SHUT_RDWR)

    def _ask(self, address: WebAddress) -> tuple[Page, str]:
        number = self.judge(address, self.resolve)
        try:
            with self._connect(address, number) as sock:
                sock.sendall(_request(address))
                with HTTPResponse(sock, method="GET") as response:
                    response.begin()
                    if response.status in _REDIRECTS and (to := response.getheader("Location")):
                        return Page(address, response.status, "", b"", is_whole=True), to
                    return self._read(address, response, sock), ""
        except TimeoutError:
            raise ToolFailure(f"{address.host} did not answer in time.", "timed out") from None
        except ssl.SSLError as error:
            reason = error.reason or str(error)
            text = f"The connection to {address.host} is not safe ({reason})."
            raise ToolFailure(text, "not safe") from None
        except (OSError, HTTPException, zlib.error) as error:
            text = f"{address.host} gave no usable answer ({type(error).__name__}: {error})."
            raise ToolFailure(text, "no answer") from None

    def _connect(self, address: WebAddress, number: str) -> socket.socket:
        sock = socket.create_connection((number, address.port), min(CONNECT_SECONDS, self._left()))
        self._socket = sock
        if self._is_aborted:
            sock.close()
            raise TimeoutError
        sock.settimeout(self._left())
        if address.scheme == "https":
            try:
                sock = self.tls().wrap_socket(sock, server_hostname=address.host)
            except BaseException:
                sock.close()
                raise
            self._socket = sock
        return sock

    def _read(self, address: WebAddress, response: HTTPResponse, sock: socket.socket) -> Page:
        unpack = _unpacker(response.getheader("Content-Encoding") or "")
        body = bytearray()
        taken = 0
        while len(body) <= self.max_bytes and taken <= self.max_bytes:
            sock.settimeout(self._left())
            chunk = response.read1(_READ_BYTES)
            if not chunk:
                break
            taken += len(chunk)
            body += unpack(chunk, self.max_bytes + 1 - len(body))
        is_whole = len(body) <= self.max_bytes and taken <= self.max_bytes
        content_type = response.getheader("Content-Type") or ""
        return Page(address, response.status, content_type, bytes(body[: self.max_bytes]), is_whole)

    def _left(self) -> float:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _is_weaker(following: WebAddress, address: WebAddress) -> bool:
    return address.scheme == "https" and following.scheme == "http"


def _request(address: WebAddress) -> bytes:
    lines = (
        f"GET {address.target} HTTP/1.1",
        f"Host: {address.authority}",
        f"User-Agent: {_AGENT}",
        "Accept: text/html, text/plain, text/*;q=0.9, application/json;q=0.9, */*;q=0.1",
        "Accept-Encoding: gzip",
        "Connection: close",
    )
    return "\r\n".join([*lines, "", ""]).encode("ascii")


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    match encoding.strip().lower():
        case "" | "identity":
            return lambda data, room: data
        case "gzip" | "x-gzip":
            engine = zlib.decompressobj(zlib.MAX_WBITS | 16)
            return lambda data, room: engine.decompress(data, max(room, 1))
        case other:
            raise ToolFailure(f"The answer is packed as {other}, which cannot be read.", "packed")
