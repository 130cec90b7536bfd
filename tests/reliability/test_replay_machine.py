"""Replay as a state machine: append, eviction, connect, cut and restart in any order.

Whatever happens, each client ends where the server is, with no hole and no event twice; and after
a restart the journal alone gives the state that the session had, but for what was volatile.
"""

import shutil
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pytest
from anyio import to_thread
from anyio.from_thread import start_blocking_portal
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.fakes.event_client import FoldingClient
from tests.fakes.session_writer import AT, SessionWriter
from tests.reliability.scale import scaled

from lararium_daemon.protocol.events import Notice
from lararium_daemon.protocol.ids import SessionId
from lararium_daemon.sessions import session as session_module
from lararium_daemon.sessions.feed import Feed
from lararium_daemon.sessions.fold import count, fresh
from lararium_daemon.sessions.loading import load
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.sessions.settlement import Ending, settle
from lararium_daemon.storage.journal import Journal, open_journal

ID = SessionId("ses_1")
RING_EVENTS = 6
"""Small, so that every few events some leave the ring."""
CLIENTS = 2
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where waiting for the disk costs nothing: the journal's durability is not what is tested."""

clients = st.integers(0, CLIENTS - 1)
texts = st.text(alphabet="ab😀\n", min_size=1, max_size=5)


@dataclass
class Link:
    """A client and its connection, if it has one."""

    client: FoldingClient
    feed: Feed | None = None


@pytest.fixture(autouse=True, scope="module")
def small_ring() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_module, "RING_EVENTS", RING_EVENTS)
        yield


class Replay(RuleBasedStateMachine):
    """One session, its journal, and a few clients."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="lararium-replay-", dir=MEMORY))
        self.machine, self.daemon = ExitStack(), ExitStack()
        self.portal = self.machine.enter_context(start_blocking_portal("asyncio"))
        self.links = [Link(FoldingClient(ID)) for _ in range(CLIENTS)]
        self.epoch = 0
        self.session = self.open(self.begin)
        self.writer = SessionWriter(self.session)
        self.portal.call(self.writer.run)

    def open(self, make: Callable[[Journal], Awaitable[Session]]) -> Session:
        self.epoch += 1
        opened = open_journal(self.folder / "journal.db")
        journal = self.daemon.enter_context(self.portal.wrap_async_context_manager(opened))
        return self.portal.call(make, journal)

    async def begin(self, journal: Journal) -> Session:
        return Session(fresh(ID), Row(ID), journal, f"epoch-{self.epoch}", now=lambda: AT)

    async def load(self, journal: Journal) -> Session:
        fold, row = await to_thread.run_sync(load, ID, await journal.read(ID))
        return Session(fold, row, journal, f"epoch-{self.epoch}", now=lambda: AT)

    @rule(text=texts)
    def delta(self, text: str) -> None:
        self.portal.call(self.writer.delta, text)

    @rule(text=texts)
    def progress(self, text: str) -> None:
        self.portal.call(self.writer.progress, text)

    @rule()
    def flush(self) -> None:
        self.portal.call(self.writer.flush)

    @rule()
    def call(self) -> None:
        self.portal.call(self.writer.call)

    @rule()
    def result(self) -> None:
        self.portal.call(self.writer.result)

    @rule()
    def run(self) -> None:
        self.portal.call(self.writer.run)

    @rule(size=st.integers(1, 3 * RING_EVENTS))
    def append(self, size: int) -> None:
        """Append so many events that some, or all, of the ring is evicted."""
        notices = [Notice("info", str(number), "n") for number in range(size)]
        self.portal.call(self.session.commit, notices)

    @rule(who=clients)
    def connect(self, who: int) -> None:
        link = self.links[who]
        self.drop(link)
        link.feed = Feed(self.session.epoch, max_items=12)
        self.subscribe(link)

    @rule(who=clients)
    def take(self, who: int) -> None:
        self.read(self.links[who], None)

    @rule(who=clients, missed=st.integers(0, 2 * RING_EVENTS))
    def come_back(self, who: int, missed: int) -> None:
        """Lose the connection after all had arrived, miss something, and come back."""
        self.take(who)
        self.drop(self.links[who])
        self.append(missed)
        self.portal.call(self.writer.progress, "seen by nobody")
        self.ends_where_the_server_is(who)

    @rule(who=clients)
    def ends_where_the_server_is(self, who: int) -> None:
        self.connect(who)
        self.take(who)
        state = orjson.loads(orjson.dumps(self.session.state))
        assert orjson.loads(orjson.dumps(self.links[who].client.fold.state)) == state

    @rule(who=clients, some=st.integers(0, 4))
    def cut(self, who: int, some: int) -> None:
        """Lose the connection when only some of what was sent has arrived."""
        self.read(self.links[who], some)
        self.drop(self.links[who])

    @rule()
    def restart(self) -> None:
        """Kill the daemon and start it: what the disk has is all there is."""
        for link in self.links:
            self.drop(link)
        self.daemon.close()
        self.session = self.open(self.load)
        self.portal.call(settle, self.session, Ending("interrupted", "restart"))
        self.portal.call(self.writer.move, self.session)

    @invariant()
    def no_event_is_missing_or_comes_twice(self) -> None:
        assert [(link.client.holes, link.client.duplicates) for link in self.links] == [
            (0, 0)
        ] * CLIENTS

    @invariant()
    def counts_agree_with_the_state(self) -> None:
        assert self.session.fold.counts() == count(self.session.state)

    def teardown(self) -> None:
        try:
            for who in range(CLIENTS):
                self.ends_where_the_server_is(who)
        finally:
            self.daemon.close()
            self.machine.close()
            shutil.rmtree(self.folder)

    def drop(self, link: Link) -> None:
        if link.feed is not None:
            self.portal.call(self.session.unfollow, link.feed)
            link.feed = None

    def read(self, link: Link, most: int | None) -> None:
        """Fold what waits, at most so many messages; ask anew as a page does."""
        while link.feed is not None and (items := link.feed.take()[:most]):
            for item in items:
                data = orjson.loads(item.data)
                message = {"type": "event", "event": data} if item.kind == "event" else data
                if not link.client.take(message):
                    self.subscribe(link)
                    break
            if most is not None:
                return

    def subscribe(self, link: Link) -> None:
        assert link.feed is not None
        asked = link.client.subscription()
        self.portal.call(self.session.follow, link.feed, asked["after_seq"], asked["epoch"])


TestReplay = Replay.TestCase
TestReplay.settings = settings(max_examples=scaled(40, 500), stateful_step_count=50, deadline=None)
