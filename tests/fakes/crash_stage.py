"""A real daemon that a test starts, breaks, kills and starts again, many times and quickly."""

import json
import os
import signal
import sqlite3
import sys
import time
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
from tests.fakes.fork_servers import RunningForkServer, fork_server
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_wire import Scripted, chunk, json_reply, stream_of

from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import StartedDaemon, start_daemon
from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.paths import WorkspacePaths, resolve_paths

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "tests.fakes.faulty_daemon")
LIMIT_SECONDS = 20.0

Json = dict[str, Any]


def call(tool: str, **arguments: object) -> tuple[str, Json]:
    """Give a tool call that a scripted model asks for."""
    return tool, arguments


def model_says(text: str, *calls: tuple[str, Json], pace: float = 0.0) -> Scripted:
    """Script one answer of the model; with a pace its text comes in four pieces."""
    wanted = [
        {
            "index": place,
            "id": f"call_{place}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for place, (name, arguments) in enumerate(calls)
    ]
    size = len(text) if pace == 0 else -(-len(text) // 4)
    chunks = [chunk({"content": text[at : at + size]}) for at in range(0, len(text), size or 1)]
    if wanted:
        chunks.append(chunk({"tool_calls": wanted}))
    script = stream_of(*chunks, chunk(finish="tool_calls" if wanted else "stop"))
    script.pace = pace
    return script


def model_is_full() -> Scripted:
    """Script the answer of a model that the session has grown too long for."""
    return json_reply({"error": {"code": "context_length_exceeded"}}, status=400)


def wait_until(condition: Callable[[], bool], seconds: float = LIMIT_SECONDS) -> None:
    """Wait until something outside this process is so."""
    give_up = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > give_up:
            raise TimeoutError
        time.sleep(0.003)


@dataclass
class CrashStage:
    """One home with one workspace; made by `crash_stage`."""

    home: Path
    llm: FakeLlm
    variables: dict[str, str]
    _servers: ExitStack
    _server: RunningForkServer | None = None
    daemon: StartedDaemon = field(init=False)
    client: DaemonClient = field(init=False)

    @property
    def folder(self) -> Path:
        """The workspace."""
        return self.home / "project"

    @property
    def places(self) -> WorkspacePaths:
        return resolve_paths(self.variables).workspace(self.folder)

    def start(self) -> None:
        """Start the daemon."""
        forks = self.home / "forks"
        if self._server is None or self._server.process.poll() is not None:
            server = fork_server(forks, COMMAND, **self.variables)
            self._server = self._servers.enter_context(server)
        command = [*COMMAND, "_guardian"]
        self.daemon = start_daemon(self.folder, self.variables, command=command, fork_folder=forks)
        self.client = self.daemon.client()

    def kill(self) -> None:
        """Kill the daemon, if it lives."""
        try:
            os.kill(self.daemon.pid, signal.SIGKILL)
        except ProcessLookupError:
            return

    def wait_for_death(self) -> None:
        """Wait until the daemon has died."""
        wait_until(lambda: not psutil.pid_exists(self.daemon.pid))

    def stop(self) -> None:
        """Stop it as everybody does."""
        stop_daemon(self.places)

    def plan(self, **plan: object) -> None:
        """Say what is to happen where, from now on."""
        (self.home / "met.log").unlink(missing_ok=True)
        new = self.home / "faults.new"
        new.write_text(json.dumps(plan), encoding="utf-8")
        new.replace(self.home / "faults.json")

    def clear(self) -> None:
        """Let everything work again."""
        (self.home / "faults.json").unlink(missing_ok=True)

    def has_met(self) -> bool:
        """Whether the planned fault has happened."""
        return (self.home / "met.log").exists()

    def acts(self) -> Counter[str]:
        """How often each call began to act, by its id."""
        try:
            lines = (self.home / "acts.log").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return Counter()
        return Counter(line.split()[0] for line in lines)

    def session(self, mode: str = "yolo") -> str:
        """Begin a session."""
        return str(self.client.request("POST", "/api/sessions", {"mode": mode})["id"])

    def post(
        self, session: str, text: str = "Go", client_id: str = "", allow: Sequence[str] = ()
    ) -> Json:
        """Send a message."""
        message = {
            "client_message_id": client_id or uuid.uuid4().hex,
            "text": text,
            "allow": list(allow),
        }
        return self.client.request("POST", f"/api/sessions/{session}/messages", message)

    def row(self, session: str) -> Json:
        """Give the session's row."""
        return self.client.request("GET", f"/api/sessions/{session}")

    def wait_idle(self, session: str) -> Json:
        """Wait until nothing runs there; give the row."""
        wait_until(lambda: self.row(session)["activity"] == "idle")
        return self.row(session)

    def messages(self, session: str) -> list[Json]:
        return self.client.request("GET", f"/api/sessions/{session}/messages")["items"]

    def calls(self, session: str) -> list[Json]:
        parts = [part for message in self.messages(session) for part in message["parts"]]
        return [part for part in parts if part["type"] == "tool_call"]

    def requests(self, session: str) -> list[Json]:
        """Give the session's open permission requests."""
        items = self.client.request("GET", "/api/permissions/requests")["items"]
        return [each for each in items if each["session_id"] == session]

    def wait_for_request(self, session: str) -> Json:
        wait_until(lambda: bool(self.requests(session)))
        return self.requests(session)[0]

    def decide(self, request: Json, decision: str = "allow", scope: str = "once") -> None:
        body = {
            "decision": decision,
            "scope": scope,
            "shown_sha256": request["shown_sha256"],
        }
        self.client.request("POST", f"/api/permissions/requests/{request['id']}/decision", body)

    def events(self, session: str) -> list[Json]:
        """Give the session's durable events from the disk, whether or not a daemon runs."""
        sql = "SELECT seq, at, type, payload FROM event WHERE session_id = ? ORDER BY seq"
        with self.database() as database:
            rows = database.execute(sql, (session,)).fetchall()
        return [
            {"seq": seq, "at": at, "type": kind, **json.loads(payload)}
            for seq, at, kind, payload in rows
        ]

    def integrity(self) -> str:
        """Give what SQLite says of the journal; "ok" when it is whole."""
        with self.database() as database:
            return str(database.execute("PRAGMA integrity_check(1)").fetchone()[0])

    @contextmanager
    def database(self) -> Generator[sqlite3.Connection]:
        """Open the journal for reading."""
        uri = f"{self.places.journal.as_uri()}?mode=ro"
        database = sqlite3.connect(uri, uri=True, timeout=LIMIT_SECONDS)
        try:
            yield database
        finally:
            database.close()


@contextmanager
def crash_stage(home: Path, llm: FakeLlm) -> Generator[CrashStage]:
    """Make a home with a workspace; its daemon is not started yet and stopped at the end."""
    variables = {
        **os.environ,
        "HOME": str(home),
        "LARARIUM_HOME": str(home),
        "PYTHONPATH": str(ROOT),
        **llm.environment,
    }
    (home / "project").mkdir(parents=True)
    with ExitStack() as servers:
        stage = CrashStage(home, llm, variables, servers)
        try:
            yield stage
        finally:
            stage.clear()
            stop_daemon(stage.places)


def refused(call_: Callable[[], object]) -> tuple[int | None, str]:
    """Give status and code of a request that must be refused."""
    try:
        call_()
    except LarariumError as error:
        return error.status, error.code
    raise AssertionError("it was not refused")


def assert_paired(messages: Sequence[Json]) -> None:
    """Every call has a result, whatever became of it."""
    parts = [part for message in messages for part in message["parts"]]
    open_calls = [p for p in parts if p["type"] == "tool_call" and p["result"] is None]
    assert open_calls == []
