"""Replay: whatever a client missed and however slow it is, it ends where the server is."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio
import orjson
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.event_client import FoldingClient

from lararium_daemon.protocol.events import (
    MessageAppended,
    PartAppended,
    PartDelta,
    RunEnded,
    RunStarted,
    ToolEnded,
    ToolProgress,
    ToolStarted,
)
from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    PartId,
    RunId,
    SessionId,
)
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart, ToolResult
from lararium_daemon.protocol.text import utf16_length
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import count, fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal

ID = SessionId("ses_1")
NO_MESSAGE, NO_PART = MessageId(""), PartId("")
AT = "2026-11-30T12:00:00.000Z"

Step = Literal["delta", "flush", "call", "progress", "result", "run", "take", "drop", "connect"]
STEPS: tuple[Step, ...] = (
    "delta", "flush", "call", "progress", "result", "run", "take", "drop", "connect"
)  # fmt: skip


@dataclass
class Writer:
    """Does to a session what runs do, one thing at a time."""

    session: Session
    number: int = 0
    message_id: MessageId = NO_MESSAGE
    part_id: PartId = NO_PART
    text: str = ""
    durable: int = 0
    calls: list[CallId] = field(default_factory=list[CallId])

    async def run(self) -> None:
        """End the run that goes on and begin another."""
        await self.flush()
        for call_id in list(self.calls):
            await self.result()
            assert call_id not in self.calls
        run = self.session.state.run
        if run is not None and run.outcome is None:
            await self.session.commit([RunEnded(run.run_id, "completed", 0)])
        self.number += 1
        run_id = RunId(f"run_{self.number}")
        asked = Message(MessageId(f"msg_a{self.number}"), "user", AT, run_id)
        self.message_id = MessageId(f"msg_b{self.number}")
        await self.session.commit([
            MessageAppended(asked),
            RunStarted(run_id, asked.message_id, "m", "default"),
            MessageAppended(Message(self.message_id, "assistant", AT, run_id)),
        ])
        self._open_text()

    def delta(self, text: str) -> None:
        offset = utf16_length(self.text)
        self.session.emit(PartDelta(self.message_id, self.part_id, "text", offset, text))
        self.text += text

    async def flush(self) -> None:
        rest = self.text.encode("utf-16-le")[self.durable * 2 :].decode("utf-16-le")
        if rest:
            part = TextPart(self.part_id, rest)
            await self.session.commit([PartAppended(self.message_id, part, self.durable)])
            self.durable = utf16_length(self.text)

    async def call(self) -> None:
        await self.flush()
        self.number += 1
        call_id = CallId(f"call_{self.number}")
        part = ToolCallPart(PartId(f"prt_c{self.number}"), call_id, "bash", {})
        await self.session.commit([
            PartAppended(self.message_id, part),
            ToolStarted(RunId("run"), call_id),
        ])
        self.calls.append(call_id)
        self._open_text()

    def progress(self, text: str) -> None:
        for call_id in self.calls:
            part_id = PartId(call_id.replace("call_", "prt_c"))
            self.session.emit(ToolProgress(call_id, part_id, 0, text, len(text)))

    async def result(self) -> None:
        if self.calls:
            call_id = self.calls.pop(0)
            await self.session.commit([
                ToolEnded(RunId("run"), call_id, "completed", ToolResult("ok"))
            ])

    def _open_text(self) -> None:
        self.number += 1
        self.part_id = PartId(f"prt_t{self.number}")
        self.text = ""
        self.durable = 0


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
            writer, link = Writer(session), Link(session)
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


async def _do(step: Step, text: str, writer: Writer, link: Link) -> None:
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
