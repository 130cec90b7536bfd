"""P19: what a client that never reads changes for the others."""

import asyncio
import socket
import struct
from collections.abc import Generator
from contextlib import contextmanager
from urllib.parse import urlsplit

import orjson
from tests.bench.figures import Figure, in_pairs
from tests.bench.stream import follow
from tests.bench.workshop import Workshop, llm_process, workshop

REPEATS = 5
TOKENS = 300_000
"""So many that what the kernel keeps for a client is full soon."""
RECEIVE_BYTES = 4_096


def slow_client() -> list[Figure]:
    """Measure a whole stream to a client, beside one that reads nothing and without it."""
    with llm_process() as llm, workshop(llm) as shop:
        prompt = f"go [[fake tokens={TOKENS} batch=64]]"

        def alone() -> float:
            return asyncio.run(follow(shop, shop.session(), prompt)).seconds

        def beside_a_deaf_one() -> float:
            session = shop.session()
            with _deaf_client(shop, session):
                read = asyncio.run(follow(shop, session, prompt))
            if read.arrivals[-1][1] != TOKENS:
                raise RuntimeError("text was lost")
            return read.seconds

        ours, floor = in_pairs(beside_a_deaf_one, alone, REPEATS)
    what = "300,000 words to a client beside one that never reads / without that one"
    return [Figure("P19", what, ours, floor, "s", 1.25)]


@contextmanager
def _deaf_client(shop: Workshop, session_id: str) -> Generator[None]:
    """Follow the session and read nothing but the handshake."""
    port = urlsplit(shop.daemon.base_url).port
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BYTES)
        sock.settimeout(10)
        sock.connect(("127.0.0.1", port or 0))
        head = (
            "GET /api/events HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {shop.daemon.token}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        sock.sendall(head.encode())
        if b" 101 " not in sock.recv(4096):
            raise RuntimeError("the handshake was refused")
        payload = orjson.dumps({"type": "subscribe", "session_id": session_id})
        sock.sendall(struct.pack("!BB4x", 0x81, 0x80 | len(payload)) + payload)
        yield
