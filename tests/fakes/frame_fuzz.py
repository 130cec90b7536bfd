"""What no client library sends: broken HTTP and broken WebSocket frames, over bare sockets.

A good request or frame is taken and its bytes are changed by dice. What counts is that the server
ends each connection soon once nothing more comes, and that it never answers 500.
"""

import os
import random
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from tests.fakes.guard_rows import HANDSHAKE
from tests.fakes.raw_http import head
from tests.fakes.schema_fuzz import Tally

SECONDS = 5.0
PATIENCE_SECONDS = 0.25
"""How long an answer is waited for before our side of the connection is closed."""
SIDE_BY_SIDE = 8

_STATUS = re.compile(rb"(?:^|\n)HTTP/1\.1 (\d{3}) ")
_PIECES = (b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b";", b"\xff", b"\xe2\x80\xae", b"0", b"-1")
_HEADERS = (
    b"Content-Length: 0\r\n",
    b"Content-Length: -1\r\n",
    b"Content-Length: 99999999999999999999\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Transfer-Encoding: gzip, chunked\r\n",
    b"Expect: 100-continue\r\n",
    b"Upgrade: h2c\r\nConnection: Upgrade\r\n",
    b"Connection: keep-alive, close\r\n",
    b"Host: evil.example\r\n",
    b" folded: line\r\n",
    b"X: " + b"y" * 9000 + b"\r\n",
)
_TEXTS = (
    b'{"type":"ping"}',
    b'{"type":"subscribe","topic":"attention","after_seq":0}',
    b'{"type":"subscribe","topic":"shell"}',
    b'{"type":"subscribe","session_id":"none","after_seq":-1,"epoch":""}',
    b'{"type":"subscribe","session_id":"%s","after_seq":0,"epoch":""}' % (b"x" * 70_000),
    b'{"type":"unsubscribe"}',
    b"[" * 3000,
    b"{}",
    b"null",
    b'"\\ud800"',
    b"\xff\xfe",
    b"",
)


@dataclass
class FrameFuzz:
    """Sends to one server."""

    port: int
    token: str
    chance: random.Random
    tally: Tally = field(default_factory=Tally)
    frames: int = 0
    """Broken frames that were sent over WebSockets."""

    def run(self, requests: int, handshakes: int) -> None:
        """Send so many broken requests, and open so many WebSockets for broken frames."""
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            data = [self._request() for _ in range(requests)]
            for answer in pool.map(self._exchange, data):
                self._note(*answer)
            frames = [b"".join(self._frames()) for _ in range(handshakes)]
            for answer in pool.map(self._speak, frames):
                self._note(*answer)

    def _note(self, sent: bytes, received: bytes, seconds: float) -> None:
        self.tally.sent += 1
        self.tally.slowest_seconds = max(self.tally.slowest_seconds, seconds)
        if seconds > SECONDS:
            self.tally.hangs.append(f"{seconds:.1f} s: {sent!r:.400}")
        for status in map(int, _STATUS.findall(received)):
            self.tally.statuses[status] += 1
            if status >= 500:
                code = re.search(rb'"code": ?"(\w+)"', received)
                said = code[1].decode() if code else ""
                self.tally.broken[status, said, f"{sent!r:.200}"] += 1

    def _exchange(self, data: bytes) -> tuple[bytes, bytes, float]:
        """Send it in pieces, take what comes; give the seconds from our end to the server's."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as sock:
            return data, *_talk(sock, data)

    def _speak(self, frames: bytes) -> tuple[bytes, bytes, float]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=SECONDS) as sock:
            sock.sendall(head("GET", "/api/events", [*self._headers(), *HANDSHAKE]))
            answer = sock.recv(4096)
            if b" 101 " not in answer:
                return b"a handshake", answer, 0.0
            return frames, *_talk(sock, frames)

    def _headers(self) -> list[tuple[str, str]]:
        host = ("Host", f"127.0.0.1:{self.port}")
        return [host, ("Authorization", f"Bearer {self.token}")]

    def _request(self) -> bytes:
        data = self.chance.choice(self._good())
        if self.chance.random() < 0.3:
            data = data.replace(b"\r\n", b"\r\n" + self.chance.choice(_HEADERS), 1)
        for _ in range(self.chance.randrange(4)):
            data = self._mutated(data)
        return data

    def _good(self) -> list[bytes]:
        headers = [*self._headers(), ("Connection", "close")]
        json = [*headers, ("Content-Type", "application/json")]
        ticket = b'{"purpose": "ws"}'
        sized = head("POST", "/api/auth/tickets", [*json, ("Content-Length", str(len(ticket)))])
        chunked = head("POST", "/api/auth/tickets", [*json, ("Transfer-Encoding", "chunked")])
        chunks = b"%x;a=b\r\n%s\r\n0\r\n\r\n" % (len(ticket), ticket)
        return [
            head("GET", "/api/status", headers),
            head("GET", "/", headers),
            head("HEAD", "/assets/app.js", headers),
            sized + ticket,
            chunked + chunks,
            head("GET", "/api/events", [*self._headers(), *HANDSHAKE]),
            head("GET", "/api/health", self._headers()) + head("GET", "/api/status", headers),
        ]

    def _mutated(self, data: bytes) -> bytes:
        at = self.chance.randrange(len(data) + 1)
        to = min(len(data), at + self.chance.randrange(1, 40))
        match self.chance.randrange(6):
            case 0:
                return data[:at] + bytes([self.chance.randrange(256)]) + data[at + 1 :]
            case 1:
                return data[:at] + data[to:]
            case 2:
                return data[:to] + data[at:]
            case 3:
                return data[:at] + self.chance.choice(_PIECES) + data[at:]
            case 4:
                return data[:at]
            case _:
                return data + data[:at]

    def _frames(self) -> list[bytes]:
        made = [self._frame() for _ in range(self.chance.randrange(1, 6))]
        self.frames += len(made)
        return made

    def _frame(self) -> bytes:
        text = self.chance.choice(_TEXTS)
        if self.chance.random() < 0.2:
            text = self._mutated(text)
        opcode = self.chance.choice((0, 1, 1, 1, 2, 3, 8, 9, 10, 15))
        first = opcode | self.chance.choice((0x80, 0x80, 0x80, 0, 0x40, 0xF0))
        length = self.chance.choice((len(text), len(text), len(text), 0, 126, 2**31, 2**63))
        is_masked = self.chance.random() < 0.9
        key = os.urandom(4)
        body = bytes(byte ^ key[place % 4] for place, byte in enumerate(text))
        return bytes([first]) + _length(length, is_masked) + (key + body if is_masked else text)


def _length(length: int, is_masked: bool) -> bytes:
    mask = 0x80 if is_masked else 0
    if length < 126:
        return bytes([mask | length])
    if length < 2**16:
        return bytes([mask | 126]) + length.to_bytes(2)
    return bytes([mask | 127]) + length.to_bytes(8)


def _talk(sock: socket.socket, data: bytes) -> tuple[bytes, float]:
    received: list[bytes] = []
    sock.settimeout(PATIENCE_SECONDS)
    try:
        sock.sendall(data)
        while part := sock.recv(65536):
            received.append(part)
    except TimeoutError:
        pass
    except OSError:  # the server is through with us before we are
        return b"".join(received), 0.0
    else:
        return b"".join(received), 0.0
    started = time.monotonic()
    try:
        sock.shutdown(socket.SHUT_WR)
        sock.settimeout(2 * SECONDS)
        while part := sock.recv(65536):
            received.append(part)
    except OSError:
        pass
    return b"".join(received), time.monotonic() - started
