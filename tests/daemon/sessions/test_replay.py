"""Replay: whatever a client missed and however slow it is, it ends where the server is."""

import tempfile
from pathlib import Path
from typing import Literal

import anyio
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.event_client import FoldingClient
from tests.fakes.session_writer import AT, SessionWriter

from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import count, fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal

ID = SessionId("ses_1")

Step = Literal["delta", "flush", "call", "progress", "result", "run", "take", "drop", "connect"]
STEPS: tuple[Step, ...] = (
    "delta", "flush", "call", "progress", "result", "run", "take", "drop", "connect"
)  # fmt: skip


class Link:
    """A client and its feed, which may break and come back."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.client = FoldingClient(ID)
        self._feed: Feed | None = None

    def connect(self) -> None:
        self.drop()
        self._feed = Feed("epoch", max_items=8)
        self._subscribe()

    def drop(self) -> None:
        if self._feed is not None:
            self._session.unfollow(self._feed)
            self._feed = None

    def take(self) -> None:
        """Take what waits; a real client may then have to ask anew, once or twice."""
        if self._feed is None:
            return
        while items := self._feed.take():
            for item in items:
                data = orjson.loads(item.data)
                message = {"type": "event", "event": data} if item.kind == "event" else data
                if not self.client.take(message):
                    self._subscribe()
                    break

    def _subscribe(self) -> None:
        assert self._feed is not None
        asked = self.client.subscription()
        self._session.follow(self._feed, asked["after_seq"], asked["epoch"])


steps = st.lists(
    st.tuples(st.sampled_from(STEPS), st.text(alphabet="ab😀\n", min_size=1, max_size=5)),
    max_size=60,
)


@settings(max_examples=100, deadline=None)
@given(steps)
def test_a_client_ends_where_the_server_is(script: list[tuple[Step, str]]) -> None:
    """For any order of work, breaks, slow reading and coming back."""
    anyio.run(_play, script)


async def _play(script: list[tuple[Step, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_journal(Path(folder) / "journal.db") as journal:
            session = Session(fresh(ID), Row(ID), journal, "epoch", now=lambda: AT)
            writer, link = SessionWriter(session), Link(session)
            await writer.run()
            link.connect()
            for step, text in script:
                await _do(step, text, writer, link)
            link.connect()
            link.take()
            assert session.fold.counts() == count(session.state)
            assert orjson.loads(orjson.dumps(link.client.fold.state)) == orjson.loads(
                orjson.dumps(session.state)
            )


async def _do(step: Step, text: str, writer: SessionWriter, link: Link) -> None:
    match step:
        case "delta":
            writer.delta(text)
        case "flush":
            await writer.flush()
        case "call":
            await writer.call()
        case "progress":
            writer.progress(text)
        case "result":
            await writer.result()
        case "run":
            await writer.run()
        case "take":
            link.take()
        case "drop":
            link.drop()
        case "connect":
            link.connect()
