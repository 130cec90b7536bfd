"""A reconnect storm: clients that come and go all the time during one long answer.

Over the real server and real sockets; a client leaves politely or is cut in the middle of a frame,
comes back from where it was, and at the end has exactly what the daemon has.
"""

import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import orjson
import pytest
from tests.fakes.api_daemon import ApiDaemon, api_daemon
from tests.fakes.event_client import FoldingClient
from tests.fakes.scripted_runner import begin_answer
from tests.reliability.scale import dice, new_seed, report, scaled
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Subprotocol

from lararium_daemon.protocol.events import PartAppended, PartDelta, RunEnded, TurnEnded
from lararium_daemon.protocol.ids import PartId, SessionId
from lararium_daemon.protocol.messages import TextPart
from lararium_daemon.sessions.runner import RunRequest
from lararium_daemon.sessions.session import Session

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(900)]

CLIENTS = scaled(16, 64)
RETURNS = scaled(10, 100)
PIECE = "word 😀 "
PIECE_UNITS = 8
DURABLE_EVERY = 25
LIMIT_SECONDS = 60.0


@dataclass
class LongAnswer:
    """A run that talks until it is told to end."""

    may_end: anyio.Event = field(default_factory=anyio.Event)
    pieces: int = 0

    async def __call__(self, session: Session, run: RunRequest) -> None:
        message_id = await begin_answer(session, run)
        part_id = PartId("prt_1")
        durable = 0
        while not self.may_end.is_set():
            offset = self.pieces * PIECE_UNITS
            session.emit(PartDelta(message_id, part_id, "text", offset, PIECE))
            self.pieces += 1
            if self.pieces % DURABLE_EVERY == 0:
                text = PIECE * (self.pieces - durable)
                part = TextPart(part_id, text)
                await session.commit([PartAppended(message_id, part, durable * PIECE_UNITS)])
                durable = self.pieces
            await anyio.sleep(0.002)
        rest = PIECE * (self.pieces - durable)
        await session.commit([
            PartAppended(message_id, TextPart(part_id, rest), durable * PIECE_UNITS),
            TurnEnded(run.run_id, 1, message_id, "stop"),
            RunEnded(run.run_id, "completed", 0),
        ])


@dataclass
class Visitor:
    """A client that comes and goes."""

    daemon: ApiDaemon
    client: FoldingClient
    dice: random.Random
    mismatches: int = 0
    """Heartbeats or events that did not fit what it had."""

    async def visit(self) -> None:
        """Come, stay a little and leave, one way or the other."""
        async with self._connection() as socket:
            await self._subscribe(socket)
            with anyio.move_on_after(self.dice.uniform(0, 0.05)):
                while True:
                    await self._take(socket)
            if self.dice.random() < 0.5:
                socket.transport.abort()

    async def stay(self) -> None:
        """Come and stay until the run has ended."""
        async with self._connection() as socket:
            await self._subscribe(socket)
            while not self.client.fold.state.runs:
                await self._take(socket)

    async def _take(self, socket: ClientConnection) -> None:
        message: dict[str, Any] = orjson.loads(await socket.recv())
        if not self.client.take(message):
            self.mismatches += 1
            await self._subscribe(socket)

    async def _subscribe(self, socket: ClientConnection) -> None:
        await socket.send(orjson.dumps(self.client.subscription()).decode())

    @asynccontextmanager
    async def _connection(self) -> AsyncGenerator[ClientConnection]:
        while True:
            # A place is free a moment after its client was cut, not at once.
            with suppress(InvalidStatus):
                opened = await connect(
                    f"ws://127.0.0.1:{self.daemon.port}/api/events",
                    additional_headers=self.daemon.headers(),
                    subprotocols=[Subprotocol("lar.v1")],
                    proxy=None,
                    max_size=None,
                    open_timeout=LIMIT_SECONDS,
                )
                break
            await anyio.sleep(0.01)
        with suppress(ConnectionClosed):
            async with opened:
                yield opened


async def test_clients_that_come_and_go_end_where_the_daemon_is(tmp_path: Path) -> None:
    answer = LongAnswer()
    with api_daemon(tmp_path, answer, heartbeat_seconds=0.05) as daemon:
        session_id = new_session(daemon)
        seed = new_seed()
        visitors = [
            Visitor(daemon, FoldingClient(session_id), dice(seed + number))
            for number in range(CLIENTS)
        ]
        begun, cpu = time.monotonic(), time.process_time()
        with anyio.fail_after(scaled(60, 600)):
            async with anyio.create_task_group() as storm:
                for visitor in visitors:
                    storm.start_soon(come_and_go, visitor)
            seconds, cpu = time.monotonic() - begun, time.process_time() - cpu
            daemon.portal.call(answer.may_end.set)
            async with anyio.create_task_group() as last:
                for visitor in visitors:
                    last.start_soon(visitor.stay)
        session = daemon.portal.call(daemon.services.library.get, session_id)
        state = orjson.loads(orjson.dumps(session.state))
    report(
        f"{CLIENTS} clients x {RETURNS} visits in {seconds:.1f} s ({cpu:.1f} s of CPU with the "
        f"clients), {answer.pieces} deltas, seed {seed}"
    )
    for visitor in visitors:
        assert orjson.loads(orjson.dumps(visitor.client.fold.state)) == state
        found = (visitor.client.holes, visitor.client.duplicates, visitor.mismatches)
        assert found == (0, 0, 0), f"seed {seed}"


async def come_and_go(visitor: Visitor) -> None:
    for _ in range(RETURNS):
        await visitor.visit()


def new_session(daemon: ApiDaemon) -> SessionId:
    with daemon.client() as http:
        session_id = http.post("/sessions", json={}).raise_for_status().json()["id"]
        message = {"client_message_id": "mine", "text": "Talk."}
        http.post(f"/sessions/{session_id}/messages", json=message).raise_for_status()
    return SessionId(session_id)
