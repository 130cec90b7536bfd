"""The lines to the daemons: taken up again where they broke, ended with their daemon."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest
from websockets.asyncio.server import ServerConnection, serve

from lararium_daemon.client.find import DaemonHandle
from lararium_daemon.protocol.attention import AttentionItem
from lararium_daemon.protocol.hub import Workspace
from lararium_daemon.protocol.ids import SessionId, WorkspaceId
from lararium_desktop.hub import followers as followers_module
from lararium_desktop.hub.attention_book import AttentionBook
from lararium_desktop.hub.feed import ShellFeed
from lararium_desktop.hub.followers import Followers
from lararium_desktop.hub.inbox import Inbox
from lararium_desktop.hub.inbox_answers import Answerer
from lararium_desktop.hub.inbox_memory import InboxMemory

pytestmark = pytest.mark.anyio

ATLAS = WorkspaceId("a" * 16)
WAIT_SECONDS = 10
Says = Callable[[ServerConnection], Awaitable[None]]


def attention(*ids: str, seq: int) -> str:
    items = [
        AttentionItem(each, seq, "needs_you", SessionId("ses_1"), "Title", "", "12:00")
        for each in ids
    ]
    message = {"type": "attention", "items": items, "next_seq": seq}
    return orjson.dumps(message).decode()


@dataclass
class Daemon:
    """A daemon that says what the test wrote, one thing for each connection."""

    says: list[Says]
    guids: list[str]
    asked: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    tokens: list[str] = field(default_factory=list[str])
    port: int = 0

    async def serve(self, connection: ServerConnection) -> None:
        request = connection.request
        assert request is not None
        self.tokens.append(request.headers["Authorization"])
        self.asked.append(orjson.loads(await connection.recv()))
        await self.says[min(len(self.asked), len(self.says)) - 1](connection)

    def find(self, workspace: WorkspaceId) -> DaemonHandle:
        guid = self.guids[min(len(self.asked), len(self.guids) - 1)]
        url = f"http://127.0.0.1:{self.port}"
        return DaemonHandle(workspace, url, 1, 1.0, guid, Path("/nowhere"), "the-token")


@dataclass
class Rig:
    book: AttentionBook
    inbox: Inbox
    feed: ShellFeed
    projects: list[Workspace]

    async def until(self, found: Callable[[], object]) -> None:
        with anyio.fail_after(WAIT_SECONDS):
            while not found():  # noqa: ASYNC110  # a server and threads move it
                await anyio.sleep(0.01)

    def ids(self) -> list[str]:
        return [each.id.partition(".")[2] for each in self.inbox.items()]

    def change(self, **facts: Any) -> None:
        self.projects[0] = self.projects[0].model_copy(update=facts)
        self.feed.announce()


@asynccontextmanager
async def following(daemon: Daemon, folder: Path) -> AsyncGenerator[Rig]:
    async with serve(daemon.serve, "127.0.0.1", 0) as server:
        daemon.port = next(iter(server.sockets)).getsockname()[1]
        url = f"http://127.0.0.1:{daemon.port}"
        projects = [
            Workspace(id=ATLAS, name="atlas", path="/a", state="ready", pid=1, base_url=url)
        ]
        feed = ShellFeed()
        book = AttentionBook(InboxMemory.load(folder / "inbox.json"), changed=feed.announce)
        inbox = Inbox(book, Answerer(lambda _: None), lambda: projects)
        followers = Followers(book, inbox, lambda: projects, daemon.find, feed)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(followers.run)
            yield Rig(book, inbox, feed, projects)
            tasks.cancel_scope.cancel()


def say(*messages: str, close: bool = False) -> Says:
    async def talk(connection: ServerConnection) -> None:
        for message in messages:
            await connection.send(message)
        if not close:
            await connection.wait_closed()

    return talk


async def test_a_line_that_broke_is_taken_up_where_it_was(tmp_path: Path) -> None:
    says = [say(attention("ask_1", seq=7), close=True), say(attention("ask_2", seq=9))]
    daemon = Daemon(says, ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1", "ask_2"])
    assert daemon.asked == [
        {"type": "subscribe", "topic": "attention", "after_seq": 0},
        {"type": "subscribe", "topic": "attention", "after_seq": 7},
    ]
    assert set(daemon.tokens) == {"Bearer the-token"}


async def test_another_daemon_is_asked_for_everything(tmp_path: Path) -> None:
    says = [say(attention("ask_1", seq=7), close=True), say(attention("ask_2", seq=3))]
    daemon = Daemon(says, ["one", "two"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_2"])
    assert [each["after_seq"] for each in daemon.asked] == [0, 0]


@pytest.mark.parametrize(
    "nonsense", ["", "{", "[]", '{"type": "attention"}', '{"type":"activity","sessions":[{}]}']
)
async def test_what_cannot_be_read_breaks_the_line_and_loses_nothing(
    tmp_path: Path, nonsense: str
) -> None:
    says = [say(attention("ask_1", seq=7), nonsense), say(attention("ask_2", seq=9))]
    daemon = Daemon(says, ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1", "ask_2"])
    assert daemon.asked[1]["after_seq"] == 7


async def test_words_of_a_newer_daemon_are_passed_over(tmp_path: Path) -> None:
    says = say('{"type":"weather","rain":true}', attention("ask_1", seq=7))
    daemon = Daemon([says], ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1"])
    assert len(daemon.asked) == 1


async def test_a_daemon_that_knows_no_attention_is_left_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    says = [say('{"type":"error","code":"unknown_topic","detail":"There is no such topic."}')]
    daemon = Daemon(says, ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: "no such topic" in caplog.text)
        assert rig.ids() == []
    assert len(daemon.asked) == 1


async def test_a_silent_line_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lararium_desktop.hub.attention_link.SILENCE_SECONDS", 0.05)
    daemon = Daemon([say(), say(attention("ask_1", seq=7))], ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1"])


async def test_a_daemon_that_ended_waits_for_nothing_any_more(tmp_path: Path) -> None:
    daemon = Daemon([say(attention("ask_1", seq=7))], ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1"])
        rig.change(state="asleep", base_url=None, pid=None)
        await rig.until(lambda: rig.ids() == [])


async def test_a_project_that_is_no_longer_registered_is_followed_no_more(tmp_path: Path) -> None:
    daemon = Daemon([say(attention("ask_1", seq=7))], ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1"])
        project = rig.projects.pop()
        rig.feed.announce()
        await rig.until(lambda: rig.book.view(ATLAS).open == {})
        rig.projects.append(project)
        rig.feed.announce()
        await rig.until(lambda: rig.ids() == ["ask_1"])


async def test_a_daemon_that_is_not_found_yet_is_looked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(followers_module, "FIRST_PAUSE_SECONDS", 0.01)
    daemon = Daemon([say(attention("ask_1", seq=7))], ["guid"])
    looks: list[None] = []
    real = daemon.find

    def find(workspace: WorkspaceId) -> DaemonHandle | None:
        looks.append(None)
        return real(workspace) if len(looks) > 2 else None

    monkeypatch.setattr(daemon, "find", find)
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: rig.ids() == ["ask_1"])


async def test_a_crash_is_noted_once(tmp_path: Path) -> None:
    daemon = Daemon([say(attention(seq=1))], ["guid"])
    async with following(daemon, tmp_path) as rig:
        await rig.until(lambda: daemon.asked)
        rig.change(state="crashed", base_url=None, pid=None, problem="It stopped.")
        await rig.until(lambda: [each.kind for each in rig.inbox.items()] == ["crashed"])
