"""P8: what opening a session of 5,000 messages costs, beside the least it could cost."""

import asyncio
import http.client
import sqlite3
import threading
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import aiohttp
import anyio
import orjson
from tests.bench.figures import Figure, in_pairs, median
from tests.bench.workshop import environment

from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.protocol.events import (
    MessageAppended,
    PartAppended,
    RunEnded,
    RunStarted,
    SessionUpdated,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from lararium_daemon.protocol.ids import (
    CallId,
    MessageId,
    PartId,
    RunId,
    SessionId,
    new_session_id,
)
from lararium_daemon.protocol.messages import Message, TextPart, ToolCallPart, ToolResult
from lararium_daemon.sessions.fold import fresh
from lararium_daemon.sessions.row import Row
from lararium_daemon.sessions.session import Session
from lararium_daemon.storage.journal import open_journal
from lararium_daemon.system.paths import ensure_private_dir, resolve_paths

MESSAGES = 5_000
PAGE = 1_000
REPEATS = 15
AT = "2026-11-30T12:00:00.000Z"
TEXT = "The lamp beside the door burns low, and every guest has left a gift for the house. " * 5
PEER_LIST_MS, PEER_ALL_MS, PEER_LAST_MS = 13.0, 1_122.0, 19.0
"""opencode serve with as many messages, measured on a machine of this kind."""


def session_open() -> list[Figure]:
    """Measure it, in a daemon that has not folded the session."""
    with environment() as variables:
        folder = Path(variables["HOME"]) / "project"
        folder.mkdir()
        places = resolve_paths(variables).workspace(folder)
        ensure_private_dir(places.state_dir)
        session_id = anyio.run(_fill, places.journal)
        daemon = start_daemon(folder, variables)
        try:
            return _measure(daemon, session_id, places.journal)
        finally:
            stop_daemon(places)


def _measure(daemon: StartedDaemon, session_id: SessionId, journal: Path) -> list[Figure]:
    with _bare_server(journal, session_id) as bare:
        last, floor = in_pairs(lambda: _last(daemon, session_id), lambda: _bare_get(bare), REPEATS)
    listed = median([_list(daemon) for _ in range(REPEATS)])
    everything = median([_all(daemon, session_id) for _ in range(REPEATS)])
    opened = asyncio.run(_snapshot(daemon, session_id))
    ms = "ms"
    return [
        Figure(
            "P8", "last 100 of 5,000 messages / the rows over a bare server", last, floor, ms, 6
        ),
        Figure("P8", f"last 100; opencode {PEER_LAST_MS:g}", last, None, ms, PEER_LAST_MS / 2),
        Figure(
            "P8", f"all 5,000; opencode {PEER_ALL_MS:g}", everything, None, ms, PEER_ALL_MS / 10
        ),
        Figure("P8", f"the list of sessions; opencode {PEER_LIST_MS:g}", listed, None, ms, 6.5),
        Figure("P8", "a page's first look: whole state over the WebSocket", opened, None, ms, 500),
    ]


def _last(daemon: StartedDaemon, session_id: SessionId) -> float:
    page, elapsed = _get(daemon, f"/api/sessions/{session_id}/messages?limit=100")
    _check(len(page["items"]) == 100)
    return elapsed


def _list(daemon: StartedDaemon) -> float:
    page, elapsed = _get(daemon, "/api/sessions")
    _check(len(page["items"]) == 1)
    return elapsed


def _all(daemon: StartedDaemon, session_id: SessionId) -> float:
    cursor: str | None = ""
    count, spent = 0, 0.0
    while cursor is not None:
        path = f"/api/sessions/{session_id}/messages?limit={PAGE}&cursor={cursor}"
        page, elapsed = _get(daemon, path)
        count, spent, cursor = count + len(page["items"]), spent + elapsed, page["next_cursor"]
    _check(count == MESSAGES)
    return spent


async def _snapshot(daemon: StartedDaemon, session_id: SessionId) -> float:
    """Give the time from a page's connection to the last byte of the state; it was not loaded."""
    headers = {"Authorization": f"Bearer {daemon.token}"}
    url = daemon.base_url.replace("http", "ws") + "/api/events"
    begun = time.perf_counter()
    async with (
        aiohttp.ClientSession(headers=headers) as http_session,
        http_session.ws_connect(url, protocols=["lar.v1"], max_msg_size=0) as socket,
    ):
        await socket.send_json({"type": "subscribe", "session_id": session_id})
        message = await socket.receive()
        elapsed = time.perf_counter() - begun
    _check(len(orjson.loads(message.data)["state"]["messages"]) == MESSAGES)
    return elapsed * 1000


def _get(daemon: StartedDaemon, path: str) -> tuple[dict[str, Any], float]:
    """Give an answer and after how many milliseconds its last byte came."""
    port = int(daemon.base_url.rpartition(":")[2])
    return _timed(port, path, {"Authorization": f"Bearer {daemon.token}"})


def _timed(port: int, path: str, headers: dict[str, str]) -> tuple[dict[str, Any], float]:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    begun = time.perf_counter()
    connection.request("GET", path, headers=headers)
    data = connection.getresponse().read()
    elapsed = time.perf_counter() - begun
    connection.close()
    return orjson.loads(data), elapsed * 1000


def _bare_get(port: int) -> float:
    page, elapsed = _timed(port, "/", {})
    _check(len(page["items"]) == 100)
    return elapsed


@contextmanager
def _bare_server(journal: Path, session_id: SessionId) -> Generator[int]:
    """Serve the same rows with nothing around them."""
    database = sqlite3.connect(f"{journal.as_uri()}?mode=ro", uri=True, check_same_thread=False)
    sql = "SELECT body FROM message WHERE session_id = ? ORDER BY place DESC LIMIT 100"

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            rows = [row[0] for row in database.execute(sql, (session_id,))]
            body = b'{"items":[' + b",".join(reversed(rows)) + b"]}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        database.close()


async def _fill(path: Path) -> SessionId:
    """Write a session of prompts and answers with a tool call each."""
    session_id = new_session_id()
    async with open_journal(path) as journal:
        session = Session(fresh(session_id), Row(session_id), journal, "epoch")
        await session.commit([SessionUpdated("Long", "default", None)])
        for number in range(MESSAGES // 2):
            await session.commit(_run(number))
    return session_id


def _run(number: int) -> list[Any]:
    run_id, answer = RunId(f"run_{number}"), MessageId(f"msg_b{number}")
    call_id = CallId(f"call_{number}")
    question = TextPart(PartId(f"prt_a{number}"), f"{number}: {TEXT[:200]}")
    asked = Message(MessageId(f"msg_a{number}"), "user", AT, run_id, uuid.uuid4().hex, [question])
    call = ToolCallPart(PartId(f"prt_c{number}"), call_id, "bash", {"command": f"echo {number}"})
    return [
        MessageAppended(asked),
        RunStarted(run_id, asked.message_id, "m", "default"),
        TurnStarted(run_id, 1, answer),
        MessageAppended(Message(answer, "assistant", AT, run_id)),
        PartAppended(answer, TextPart(PartId(f"prt_t{number}"), TEXT)),
        PartAppended(answer, call),
        TurnEnded(run_id, 1, answer, "tool_calls"),
        ToolStarted(run_id, call_id),
        ToolEnded(run_id, call_id, "completed", ToolResult(TEXT, summary="exit 0")),
        RunEnded(run_id, "completed", 0, text=TEXT),
    ]


def _check(is_so: bool) -> None:
    if not is_so:
        raise RuntimeError("the answer was not the whole one")
