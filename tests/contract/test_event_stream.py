"""The event stream over a real server: WebSocket for pages, lines for programs."""

import socket
import struct
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx
import orjson
import psutil
import pytest
from tests.fakes.api_daemon import GUID, ApiDaemon, api_daemon
from tests.fakes.event_client import FoldingClient
from tests.fakes.scripted_runner import Gated, begin_answer
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from lararium_daemon.edge import connection as edge_connection
from lararium_daemon.protocol.events import (
    Notice,
    PartAppended,
    PartDelta,
    RunEnded,
    TurnEnded,
)
from lararium_daemon.protocol.ids import PartId, SessionId
from lararium_daemon.protocol.messages import TextPart
from lararium_daemon.sessions.fold import count
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session

pytestmark = pytest.mark.anyio

LIMIT_SECONDS = 10


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[ApiDaemon]:
    with api_daemon(tmp_path) as daemon:
        yield daemon


class Stream:
    """A WebSocket with every wait bounded."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **message: Any) -> None:
        await self.connection.send(orjson.dumps(message).decode())

    async def next(self) -> dict[str, Any]:
        with anyio.fail_after(LIMIT_SECONDS):
            return orjson.loads(await self.connection.recv())

    async def until(self, found: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Give all messages up to the one that is wanted."""
        messages = [await self.next()]
        while not found(messages[-1]):
            messages.append(await self.next())
        return messages


@asynccontextmanager
async def stream(daemon: ApiDaemon, **options: Any) -> AsyncGenerator[Stream]:
    async with connect(
        f"ws://127.0.0.1:{daemon.port}/api/events",
        additional_headers=daemon.headers(),
        subprotocols=[Subprotocol("lar.v1")],
        proxy=None,
        **options,
    ) as connection:
        yield Stream(connection)


async def new_session(daemon: ApiDaemon) -> SessionId:
    return SessionId((await call(daemon, "POST", "/sessions", {}))["id"])


async def post(daemon: ApiDaemon, session_id: str, text: str, client_id: str = "c1") -> Any:
    message = {"client_message_id": client_id, "text": text}
    return await call(daemon, "POST", f"/sessions/{session_id}/messages", message)


async def call(daemon: ApiDaemon, method: str, path: str, body: Any = None) -> Any:
    url = f"{daemon.base_url}/api{path}"
    async with httpx.AsyncClient(headers=daemon.headers(), trust_env=False) as http:
        return (await http.request(method, url, json=body)).raise_for_status().json()


def is_event(kind: str) -> Callable[[dict[str, Any]], bool]:
    return lambda message: message["type"] == "event" and message["event"]["type"] == kind


async def test_a_page_gets_a_snapshot_and_then_every_event_in_order(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    async with stream(daemon) as events:
        assert events.connection.subprotocol == "lar.v1"
        await events.send(type="subscribe", session_id=session_id, after_seq=0, epoch="")
        snapshot = await events.next()
        assert (snapshot["type"], snapshot["seq"], snapshot["epoch"]) == ("snapshot", 1, GUID)
        await post(daemon, session_id, "Go")
        messages = await events.until(is_event("run.ended"))
        types = [message["event"]["type"] for message in messages]
        assert types == [
            "session.updated",
            "message.appended",
            "run.started",
            "turn.started",
            "message.appended",
            "part.delta",
            "part.appended",
            "turn.ended",
            "run.ended",
        ]
        durable = [m["event"]["seq"] for m in messages if not m["event"].get("volatile")]
        assert durable == list(range(2, 10))


async def test_a_page_that_comes_back_is_told_what_it_missed(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    client = FoldingClient(session_id)
    async with stream(daemon) as events:
        await events.send(**client.subscription())
        assert client.take(await events.next())
    for text in ("Go", "Go on"):  # positions go on over runs, so the second is missed by nobody
        accepted = await post(daemon, session_id, text, text)
        await lines(daemon, session_id, f"until={accepted['run_id']}")
        async with stream(daemon) as events:
            await events.send(**client.subscription())
            replay = await events.next()
            assert replay["type"] == "replay"
            assert client.take(replay)
        assert client.fold.state.runs[-1].run_id == accepted["run_id"]
    session = daemon.portal.call(daemon.services.library.get, session_id)
    assert orjson.dumps(client.fold.state) == orjson.dumps(session.state)


async def test_a_page_that_comes_back_in_the_middle_of_an_answer_ends_with_all_of_it(
    tmp_path: Path,
) -> None:
    halfway, go_on = anyio.Event(), anyio.Event()

    async def script(session: Session, run: RunRequest) -> None:
        message_id = await begin_answer(session, run)
        part_id = PartId("prt_1")
        await session.commit([PartAppended(message_id, TextPart(part_id, "one "))])
        session.emit(PartDelta(message_id, part_id, "text", 4, "two "))
        halfway.set()
        await go_on.wait()
        session.emit(PartDelta(message_id, part_id, "text", 8, "three"))
        await session.commit([
            PartAppended(message_id, TextPart(part_id, "two three"), 4),
            TurnEnded(run.run_id, 1, message_id, "stop"),
            RunEnded(run.run_id, "completed", 0),
        ])

    with api_daemon(tmp_path, script) as daemon:
        session_id = await new_session(daemon)
        await post(daemon, session_id, "Go")
        daemon.portal.call(halfway.wait)
        client = FoldingClient(session_id)
        client.epoch = GUID
        async with stream(daemon) as events:
            await events.send(**client.subscription())
            snapshot = await events.next()
            assert snapshot["type"] == "snapshot"
            assert client.take(snapshot)
            daemon.portal.call(go_on.set)
            for message in await events.until(is_event("run.ended")):
                assert client.take(message)
        assert client.fold.state.messages[-1].parts == [TextPart(PartId("prt_1"), "one two three")]


async def test_every_heartbeat_agrees_with_what_the_page_has(tmp_path: Path) -> None:
    with api_daemon(tmp_path, long_answer, heartbeat_seconds=0.02) as daemon:
        session_id = await new_session(daemon)
        client = FoldingClient(session_id)
        async with stream(daemon) as events:
            await events.send(**client.subscription())
            assert client.take(await events.next())
            await post(daemon, session_id, "Go")
            messages = await events.until(is_event("run.ended"))
            messages += await events.until(lambda message: message["type"] == "heartbeat")
            beats = [m for m in messages if m["type"] == "heartbeat" and m["sessions"]]
            assert beats
            assert all(client.take(message) for message in messages)
            assert client.holes == 0
            assert client.fold.counts() == count(client.fold.state)


async def long_answer(session: Session, run: RunRequest) -> None:
    """Two thousand small deltas, with durable pieces between."""
    message_id = await begin_answer(session, run)
    part_id = PartId("prt_1")
    for number in range(2_000):
        session.emit(PartDelta(message_id, part_id, "text", number * 6, "word. "))
        if number % 100 == 0:
            await anyio.lowlevel.checkpoint()
        if number % 500 == 499:
            piece = TextPart(part_id, "word. " * 500)
            await session.commit([PartAppended(message_id, piece, (number - 499) * 6)])
    await session.commit([
        TurnEnded(run.run_id, 1, message_id, "stop"),
        RunEnded(run.run_id, "completed", 0),
    ])


async def test_deltas_reach_a_page_merged_and_whole(tmp_path: Path) -> None:
    with api_daemon(tmp_path, long_answer) as daemon:
        session_id = await new_session(daemon)
        client = FoldingClient(session_id)
        async with stream(daemon) as events:
            await events.send(**client.subscription())
            assert client.take(await events.next())
            await post(daemon, session_id, "Go")
            messages = await events.until(is_event("run.ended"))
            assert all(client.take(message) for message in messages)
            assert len(messages) < 200
            assert client.fold.counts().chars == 2_000 * 6 + len("Go")


async def test_the_list_of_sessions_is_followed(daemon: ApiDaemon) -> None:
    async with stream(daemon) as events:
        await events.send(type="subscribe", topic="sessions")
        await events.send(type="ping")
        assert await events.next() == {"type": "pong"}
        session_id = await new_session(daemon)
        row = await events.next()
        assert (row["type"], row["session"]["id"]) == ("session", session_id)
        await call(daemon, "PATCH", f"/sessions/{session_id}", {"title": "Named"})
        assert (await events.next())["session"]["title"] == "Named"
        await call(daemon, "DELETE", f"/sessions/{session_id}")
        removed = await events.until(lambda message: message["type"] == "session_removed")
        assert removed[-1]["session_id"] == session_id


async def test_a_page_that_stops_following_gets_nothing_more(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    async with stream(daemon) as events:
        await events.send(type="subscribe", session_id=session_id)
        await events.send(type="subscribe", topic="sessions")
        assert (await events.next())["type"] == "snapshot"
        await events.send(type="unsubscribe", session_id=session_id)
        await events.send(type="unsubscribe", topic="sessions")
        await events.send(type="ping")
        assert (await events.next())["type"] == "pong"
        await call(daemon, "PATCH", f"/sessions/{session_id}", {"title": "Named"})
        await events.send(type="ping")
        assert (await events.next())["type"] == "pong"


@pytest.mark.parametrize(
    ("sent", "code", "session_id"),
    [
        ("no json", "invalid_message", None),
        ("", "invalid_message", None),
        ('{"type":"dance"}', "invalid_message", None),
        ('{"type":"subscribe","session_id":"ses_none"}', "unknown_session", "ses_none"),
        ('{"type":"subscribe","topic":"weather"}', "invalid_message", None),
    ],
)
async def test_what_cannot_be_done_is_said_and_the_stream_goes_on(
    daemon: ApiDaemon, sent: str, code: str, session_id: str | None
) -> None:
    async with stream(daemon) as events:
        await events.connection.send(sent)
        error = await events.next()
        assert (error["type"], error["code"], error["session_id"]) == ("error", code, session_id)
        await events.connection.send(b'{"type":"ping"}')
        assert await events.next() == {"type": "pong"}


async def test_followers_of_a_deleted_session_are_told(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    async with stream(daemon) as events:
        await events.send(type="subscribe", session_id=session_id)
        await events.next()
        await call(daemon, "DELETE", f"/sessions/{session_id}")
        assert await events.next() == {"type": "resync", "session_id": session_id}
        await events.send(type="subscribe", session_id=session_id)
        assert (await events.next())["code"] == "unknown_session"


async def test_one_client_too_many_is_refused_and_a_free_place_is_taken(tmp_path: Path) -> None:
    with api_daemon(tmp_path) as daemon:
        daemon.services.clients.limit = 1
        async with stream(daemon) as events:
            await events.send(type="ping")
            await events.next()
            with pytest.raises(InvalidStatus) as caught:
                async with stream(daemon):
                    pass
            assert caught.value.response.status_code == 503
        await until_no_client(daemon)
        async with stream(daemon) as events:
            await events.send(type="ping")
            assert (await events.next())["type"] == "pong"


async def until_no_client(daemon: ApiDaemon) -> None:
    with anyio.fail_after(LIMIT_SECONDS):
        while daemon.services.clients.open:
            await anyio.lowlevel.checkpoint()


async def test_a_client_that_never_reads_is_let_go_and_slows_nobody(tmp_path: Path) -> None:
    with api_daemon(tmp_path, send_seconds=0.2) as daemon:
        session_id = await new_session(daemon)
        session = daemon.portal.call(daemon.services.library.get, session_id)
        deaf = deaf_client(daemon, session_id)
        async with stream(daemon) as events:
            await events.send(type="subscribe", session_id=session_id)
            await events.next()
            for number in range(60):
                notice = Notice("info", str(number), "x" * 200_000)
                daemon.portal.call(session.commit, [notice])
                received = await events.next()
                assert received["event"]["payload"]["code"] == str(number)
            with anyio.fail_after(LIMIT_SECONDS):
                while daemon.services.clients.open > 1:
                    await anyio.lowlevel.checkpoint()
        deaf.close()


async def test_a_client_that_never_reads_does_not_hold_its_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_connection, "ABORT_SECONDS", 0.1)
    with api_daemon(tmp_path, send_seconds=0.2) as daemon:
        session_id = await new_session(daemon)
        session = daemon.portal.call(daemon.services.library.get, session_id)
        with deaf_client(daemon, session_id) as deaf:
            for number in range(60):
                notice = Notice("info", str(number), "x" * 200_000)
                daemon.portal.call(session.commit, [notice])
            address = deaf.getsockname()
            with anyio.fail_after(LIMIT_SECONDS):
                while holds_connection(address):
                    await anyio.lowlevel.checkpoint()


def holds_connection(client: tuple[str, int]) -> bool:
    """Whether a socket of this process, the server's, leads to the client."""
    return any(each.raddr == client for each in psutil.Process().net_connections("tcp4"))


def deaf_client(daemon: ApiDaemon, session_id: str) -> socket.socket:
    """Open a WebSocket by hand, subscribe, and read nothing but the handshake."""
    sock = socket.create_connection(("127.0.0.1", daemon.port), timeout=LIMIT_SECONDS)
    token = daemon.headers()["Authorization"]
    sock.sendall(
        (
            "GET /api/events HTTP/1.1\r\n"
            f"Host: 127.0.0.1:{daemon.port}\r\nAuthorization: {token}\r\n"
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode()
    )
    assert b" 101 " in sock.recv(4096)
    payload = orjson.dumps({"type": "subscribe", "session_id": session_id})
    sock.sendall(struct.pack("!BB4x", 0x81, 0x80 | len(payload)) + payload)
    return sock


async def lines(daemon: ApiDaemon, session_id: str, query: str) -> list[dict[str, Any]]:
    url = f"{daemon.base_url}/api/sessions/{session_id}/events?{query}"
    with anyio.fail_after(LIMIT_SECONDS):
        async with (
            httpx.AsyncClient(headers=daemon.headers(), trust_env=False) as http,
            http.stream("GET", url) as response,
        ):
            assert response.headers["content-type"] == "application/x-ndjson"
            return [orjson.loads(line) async for line in response.aiter_lines()]


async def test_a_program_gets_the_whole_story_up_to_the_end_of_its_run(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    first = await post(daemon, session_id, "One", "c1")
    await lines(daemon, session_id, f"until={first['run_id']}")
    second = await post(daemon, session_id, "Two", "c2")
    story = await lines(daemon, session_id, f"until={second['run_id']}")
    durable = [event["seq"] for event in story if not event.get("volatile")]
    assert durable == list(range(1, durable[-1] + 1))
    assert story[-1]["type"] == "run.ended"
    assert story[-1]["payload"]["run_id"] == second["run_id"]
    rest = await lines(daemon, session_id, f"after_seq={durable[-2]}&until={second['run_id']}")
    assert rest == story[-1:]
    ended = f"after_seq={durable[-1]}&until={first['run_id']}"
    assert await lines(daemon, session_id, ended) == []


async def test_a_program_that_comes_in_the_middle_gets_the_text_so_far(tmp_path: Path) -> None:
    halfway, go_on = anyio.Event(), anyio.Event()

    async def script(session: Session, run: RunRequest) -> None:
        message_id = await begin_answer(session, run)
        session.emit(PartDelta(message_id, PartId("prt_1"), "text", 0, "Hello"))
        halfway.set()
        await go_on.wait()
        await session.commit([
            PartAppended(message_id, TextPart(PartId("prt_1"), "Hello")),
            RunEnded(run.run_id, "completed", 0),
        ])

    with api_daemon(tmp_path, script) as daemon:
        session_id = await new_session(daemon)
        accepted = await post(daemon, session_id, "Go")
        daemon.portal.call(halfway.wait)
        story: list[dict[str, Any]] = []
        async with anyio.create_task_group() as tasks:

            async def read() -> None:
                story.extend(await lines(daemon, session_id, f"until={accepted['run_id']}"))

            tasks.start_soon(read)
            with anyio.fail_after(LIMIT_SECONDS):
                while not daemon.portal.call(followers, daemon, session_id):
                    await anyio.lowlevel.checkpoint()
            daemon.portal.call(go_on.set)
        deltas = [event["payload"]["text"] for event in story if event.get("volatile")]
        assert deltas == ["Hello"]
        assert [event["type"] for event in story][-1] == "run.ended"


async def followers(daemon: ApiDaemon, session_id: SessionId) -> int:
    session = await daemon.services.library.get(session_id)
    return len(session._feeds)  # pyright: ignore[reportPrivateUsage]


async def test_a_program_reads_a_long_history_in_pages(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    session = daemon.portal.call(daemon.services.library.get, session_id)
    notices = [Notice("info", "n", "x" * 2_000) for _ in range(3_000)]
    daemon.portal.call(session.commit, notices)
    accepted = await post(daemon, session_id, "Go")
    story = await lines(daemon, session_id, f"until={accepted['run_id']}")
    durable = [event["seq"] for event in story if not event.get("volatile")]
    assert durable == list(range(1, durable[-1] + 1))
    assert len(durable) > 3_000


async def test_an_unknown_run_is_said(daemon: ApiDaemon) -> None:
    session_id = await new_session(daemon)
    with pytest.raises(httpx.HTTPStatusError) as caught:
        await call(daemon, "GET", f"/sessions/{session_id}/events?until=run_none")
    assert caught.value.response.json()["code"] == "unknown_run"


async def test_a_reader_that_leaves_is_forgotten(tmp_path: Path) -> None:
    with api_daemon(tmp_path, Gated()) as daemon:
        session_id = await new_session(daemon)
        await post(daemon, session_id, "Go")
        url = f"{daemon.base_url}/api/sessions/{session_id}/events"
        async with (
            httpx.AsyncClient(headers=daemon.headers(), trust_env=False) as http,
            http.stream("GET", url) as response,
        ):
            await anext(response.aiter_lines())
        async with stream(daemon) as events:
            await events.send(type="subscribe", session_id=session_id)
            await events.next()
        with anyio.fail_after(LIMIT_SECONDS):
            while daemon.portal.call(followers, daemon, session_id):
                await anyio.lowlevel.checkpoint()


async def test_a_message_that_is_too_large_ends_the_connection(daemon: ApiDaemon) -> None:
    async with stream(daemon) as events:
        await events.connection.send("x" * (1024 * 1024 + 1))
        with pytest.raises(ConnectionClosed) as caught:
            await events.next()
        assert caught.value.rcvd is not None
        assert caught.value.rcvd.code == 1009
