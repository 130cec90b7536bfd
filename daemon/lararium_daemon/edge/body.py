"""Reading a request's body within bounds, and dropping what nobody will read."""

import anyio
from starlette.types import Message, Receive

from lararium_daemon.edge.judge import Refusal

BODY_SECONDS = 30.0
DROP_BYTES = 8 * 1024 * 1024
DROP_SECONDS = 2.0

_TOO_LARGE = Refusal(413, "body_too_large", "The body is larger than what is taken here.")
_TOO_SLOW = Refusal(408, "body_timeout", "The body did not arrive in time.")
_GONE = Refusal(400, "malformed_request", "The body was cut off.")


async def read_body(receive: Receive, max_bytes: int) -> bytes | Refusal:
    """Read the whole body; a refusal when it is too large, too slow or cut off."""
    parts: list[bytes] = []
    size = 0
    with anyio.move_on_after(BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return _GONE
            part = message.get("body", b"")
            size += len(part)
            if size > max_bytes:
                return _TOO_LARGE
            parts.append(part)
            if not message.get("more_body", False):
                return b"".join(parts)
    return _TOO_SLOW


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Give a `receive` that hands the body over in one piece and then goes on as before."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Message:
        return first.pop() if first else await receive()

    return receive_again


async def drop_body(receive: Receive) -> None:
    """Read on for at most 8 MiB or 2 s and forget it.

    A client that is still sending reads its answer only when nobody resets the connection.
    """
    dropped = 0
    with anyio.move_on_after(DROP_SECONDS):
        while dropped < DROP_BYTES:
            message = await receive()
            if message["type"] != "http.request" or not message.get("more_body", False):
                return
            dropped += len(message.get("body", b""))
