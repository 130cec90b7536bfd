"""Attention over a real server: what a shell is told that was away, and what it is told live."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx
import orjson
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.asking_runner import Asking
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

pytestmark = pytest.mark.anyio

LIMIT_SECONDS = 10


@pytest.fixture
def daemon(tmp_path: Path) -> Generator[ApiDaemon]:
    asking = Asking()
    with api_daemon(tmp_path, asking) as daemon:
        asking.services.append(daemon.services)
        yield daemon


@dataclass
class Follower:
    """A shell's end of the topic: what it knows of each item, and how it came to know."""

    connection: ClientConnection
    items: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    active: list[dict[str, Any]] | None = None
    seqs: list[int] = field(default_factory=list[int])
    next_seq: int | None = None

    async def take(self) -> None:
        with anyio.fail_after(LIMIT_SECONDS):
            message = orjson.loads(await self.connection.recv())
        if message["type"] == "activity":
            self.active = message["sessions"]
        elif message["type"] == "attention":
            self.items |= {item["id"]: item for item in message["items"]}
            self.seqs += [item["seq"] for item in message["items"]]
            self.next_seq = message["next_seq"]

    async def until(self, found: Callable[["Follower"], bool]) -> None:
        while not found(self):
            await self.take()

    def open(self) -> list[tuple[str, str]]:
        """Give kind and title of what is open, in order."""
        items = sorted(self.items.values(), key=lambda item: item["seq"])
        return [(each["kind"], each["title"]) for each in items if each["resolved_at"] is None]

    def activities(self) -> list[str]:
        return [row["activity"] for row in self.active or []]


@asynccontextmanager
async def follow(daemon: ApiDaemon, after_seq: int = 0) -> AsyncGenerator[Follower]:
    async with connect(
        f"ws://127.0.0.1:{daemon.port}/api/events",
        additional_headers=daemon.headers("read"),
        subprotocols=[Subprotocol("lar.v1")],
        proxy=None,
    ) as connection:
        ask = {"type": "subscribe", "topic": "attention", "after_seq": after_seq}
        await connection.send(orjson.dumps(ask).decode())
        yield Follower(connection)


async def call(daemon: ApiDaemon, method: str, path: str, body: Any = None) -> Any:
    url = f"{daemon.base_url}/api{path}"
    async with httpx.AsyncClient(headers=daemon.headers(), trust_env=False) as http:
        return (await http.request(method, url, json=body)).raise_for_status().json()


async def start(daemon: ApiDaemon, text: str) -> str:
    session_id: str = (await call(daemon, "POST", "/sessions", {"title": f"To {text}"}))["id"]
    await say(daemon, session_id, text)
    return session_id


async def say(daemon: ApiDaemon, session_id: str, text: str, client_id: str = "c1") -> None:
    message = {"client_message_id": client_id, "text": text}
    await call(daemon, "POST", f"/sessions/{session_id}/messages", message)


async def decide(daemon: ApiDaemon, item: dict[str, Any], decision: str) -> None:
    body = {"decision": decision, "shown_sha256": item["shown_sha256"]}
    await call(daemon, "POST", f"/permissions/requests/{item['request_id']}/decision", body)


async def test_a_shell_is_told_live_what_waits_and_that_it_was_answered(daemon: ApiDaemon) -> None:
    async with follow(daemon) as shell:
        await shell.until(lambda it: it.next_seq == 0 and it.active == [])
        await start(daemon, "shell")
        await shell.until(lambda it: it.open() == [("needs_you", "To shell")])
        [item] = shell.items.values()
        assert (item["program"], item["allow_once"], item["tool"]) == ("git", False, "bash")
        assert "secret" not in orjson.dumps(item).decode()
        await shell.until(lambda it: it.activities() == ["needs_you"])
        await decide(daemon, item, "deny")
        await shell.until(lambda it: it.open() == [("finished", "To shell")])
        await shell.until(lambda it: it.active == [])
        assert shell.seqs == sorted(set(shell.seqs))


async def test_a_shell_that_was_away_is_told_everything_once(daemon: ApiDaemon) -> None:
    async with follow(daemon) as shell:
        edit = await start(daemon, "edit")
        await shell.until(lambda it: it.open() == [("needs_you", "To edit")])
        seen, asked = shell.next_seq, next(iter(shell.items.values()))
    await decide(daemon, asked, "allow")
    await start(daemon, "fail")
    await start(daemon, "question")
    async with follow(daemon, after_seq=seen or 0) as shell:
        await shell.until(lambda it: len(it.open()) == 3)
        assert shell.items[asked["id"]]["resolved_at"] is not None
        assert ("question", "To question") in shell.open()
        assert {kind for kind, _ in shell.open()} == {"finished", "failed", "question"}
        assert min(shell.seqs) > (seen or 0)
        failed = next(each for each in shell.items.values() if each["kind"] == "failed")
        assert (failed["code"], failed["detail"]) == ("provider_auth", "Wrong key.")
        await say(daemon, edit, "hello", "c2")
        await shell.until(lambda it: it.open()[-1] == ("finished", "To edit"))
        assert len(shell.open()) == 3


async def test_the_list_is_paged_and_says_where_to_go_on(daemon: ApiDaemon) -> None:
    for _ in range(3):
        await start(daemon, "fail")
    async with follow(daemon) as shell:
        await shell.until(lambda it: len(it.open()) == 3)
    first = await call(daemon, "GET", "/attention?limit=2")
    second = await call(daemon, "GET", f"/attention?limit=2&after={first['next_seq']}")
    assert (len(first["items"]), len(second["items"])) == (2, 1)
    rest = await call(daemon, "GET", f"/attention?after={second['next_seq']}")
    assert rest == {"items": [], "next_seq": second["next_seq"]}


async def test_a_deleted_session_is_closed_everywhere(daemon: ApiDaemon) -> None:
    session_id = await start(daemon, "fail")
    async with follow(daemon) as shell:
        await shell.until(lambda it: len(it.open()) == 1)
        await call(daemon, "DELETE", f"/sessions/{session_id}")
        await shell.until(lambda it: it.open() == [])


async def test_a_shell_that_follows_attention_alone_keeps_no_daemon_awake(
    daemon: ApiDaemon,
) -> None:
    clients = daemon.services.clients
    async with follow(daemon) as shell:
        await shell.until(lambda it: it.next_seq is not None)
        assert (clients.open, clients.looking) == (1, 0)
        await shell.connection.send('{"type":"subscribe","topic":"sessions"}')
        await shell.connection.send('{"type":"ping"}')
        with anyio.fail_after(LIMIT_SECONDS):
            while await shell.connection.recv() != '{"type":"pong"}':
                pass
        assert clients.looking == 1
        await shell.connection.send('{"type":"unsubscribe","topic":"sessions"}')
        await shell.connection.send('{"type":"unsubscribe","topic":"attention"}')
        await shell.connection.send('{"type":"ping"}')
        with anyio.fail_after(LIMIT_SECONDS):
            while await shell.connection.recv() != '{"type":"pong"}':
                pass
        assert clients.looking == 0


async def test_a_subscription_taken_back_tells_nothing_more(daemon: ApiDaemon) -> None:
    async with follow(daemon) as shell:
        await shell.until(lambda it: it.next_seq is not None)
        await shell.connection.send('{"type":"unsubscribe","topic":"attention"}')
        await start(daemon, "fail")
        await shell.connection.send('{"type":"ping"}')
        with anyio.fail_after(LIMIT_SECONDS):
            frames = [orjson.loads(await shell.connection.recv())["type"]]
            while frames[-1] != "pong":
                frames.append(orjson.loads(await shell.connection.recv())["type"])
        assert "attention" not in frames
