"""Bodies are read within bounds; what nobody reads is dropped within bounds."""

import anyio
import pytest
from starlette.types import Message, Receive

from lararium_daemon.edge import body as module
from lararium_daemon.edge.body import drop_body, read_body, replay_body
from lararium_daemon.edge.judge import Refusal

pytestmark = pytest.mark.anyio


class Sender:
    """A client that sends these parts and then nothing."""

    def __init__(self, *parts: bytes, ends: bool = True, gone: bool = False) -> None:
        self._messages: list[Message] = [
            {"type": "http.request", "body": part, "more_body": True} for part in parts
        ]
        if ends:
            self._messages.append({"type": "http.request", "body": b"", "more_body": False})
        if gone:
            self._messages.append({"type": "http.disconnect"})
        self.received = 0

    async def receive(self) -> Message:
        if not self._messages:
            await anyio.sleep_forever()
        self.received += 1
        return self._messages.pop(0)


async def refusal_of(receive: Receive, max_bytes: int) -> tuple[int, str]:
    refused = await read_body(receive, max_bytes)
    assert isinstance(refused, Refusal)
    return refused.status, refused.code


async def test_a_body_in_parts_is_read_whole_and_given_again() -> None:
    sender = Sender(b"ab", b"c", gone=True)
    body = await read_body(sender.receive, 3)
    assert body == b"abc"
    receive = replay_body(b"abc", sender.receive)
    assert await receive() == {"type": "http.request", "body": b"abc", "more_body": False}
    assert await receive() == {"type": "http.disconnect"}


async def test_a_body_beyond_its_limit_is_not_read_on() -> None:
    sender = Sender(b"ab", b"cd", b"ef")
    assert await refusal_of(sender.receive, 3) == (413, "body_too_large")
    assert sender.received == 2


async def test_a_body_that_is_cut_off_is_malformed() -> None:
    sender = Sender(b"ab", ends=False, gone=True)
    assert await refusal_of(sender.receive, 3) == (400, "malformed_request")


async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BODY_SECONDS", 0.01)
    assert await refusal_of(Sender(b"ab", ends=False).receive, 3) == (408, "body_timeout")


async def test_dropping_ends_with_the_body_its_bound_or_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "DROP_SECONDS", 0.01)
    monkeypatch.setattr(module, "DROP_BYTES", 3)
    whole, large, slow = Sender(b"a"), Sender(b"ab", b"cd", b"ef"), Sender(b"a", ends=False)
    with anyio.fail_after(5):
        for sender in (whole, large, slow):
            await drop_body(sender.receive)
    assert [whole.received, large.received, slow.received] == [2, 2, 1]
