"""A daemon of the standard library alone, behind the real guardian: it listens and proves itself.

Run as a program it is a guardian's command (`--workspace DIR [--foreground]`). `SMALL_DAEMON` in
the environment sets its manner, comma-separated: `slow` (ready after 3 s), `deaf` (ignores TERM),
`silent` (ends before it is ready), `refuse` (an error of ours before it is ready), `crash` (dies
by a bug after saying something), `group` (the same in a task group), `tools` (leaves processes
behind that try to get away), `children` (has tools that still run), `major=N` (speaks API N),
`mute` (listens and never answers), `hasty` (its guardian kills after 0.5 s), `report` (writes what
it finds around it into `report.json` of its state folder).

As `_fork_server --folder DIR` it is a fork server of such daemons, as `_spare` one that waits;
`outdated` lets both find that the
code on disk has changed, `threaded` that a thread of its own runs.
"""

import hashlib
import hmac
import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Any

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system import fork_server, guardian, spare
from lararium_daemon.system.environment import CALL_MARK, OWNER_MARK, read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_daemon.system.runtime import (
    announce_ready,
    own_record,
    remove_runtime,
    write_runtime,
)

sys.path.append(os.fspath(Path(__file__).resolve().parents[2]))
from tests.fakes.process_report import write_report

ESCAPES = (
    "sleep 300",
    "setsid sleep 300",
    "trap '' TERM; setsid sh -c 'trap \"\" TERM; while :; do sleep 1; done'",
    "(setsid sleep 300 &)",
    "nohup sleep 300 >/dev/null 2>&1 & disown; exit",
    "(env -i setsid sleep 300 &) ; exit",
)


class SmallDaemon(ThreadingHTTPServer):
    """Answers health and proof, and records what was sent to it."""

    daemon_threads = True

    def __init__(self, guid: str, token: str, major: int, *, mute: bool = False) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.guid, self.token, self.major, self.mute = guid, token, major, mute
        self.headers_seen: list[str] = []

    @property
    def port(self) -> int:
        return self.server_address[1]

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if (method, path) == ("GET", "/api/health"):
            return 200, {"guid": self.guid, "api_version": {"major": self.major, "minor": 0}}
        if (method, path) == ("POST", "/api/auth/prove"):
            message = f"daemon|{self.guid}|{self.port}|{body['nonce']}"
            digest = hmac.new(self.token.encode(), message.encode(), hashlib.sha256)
            return 200, {"proof": digest.hexdigest()}
        return 404, {"title": "Not found", "status": 404, "code": "not_found", "detail": "No."}


class _Handler(BaseHTTPRequestHandler):
    server: SmallDaemon  # pyright: ignore[reportIncompatibleVariableOverride]  # its only server

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def _answer(self, method: str) -> None:
        if self.server.mute:
            time.sleep(60)
            return
        self.server.headers_seen.append(str(self.headers))
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        status, content = self.server.answer(method, self.path, body)
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


def serve(*, workspace: Path, lock_fd: int | None, ready_fd: int | None, foreground: bool) -> int:
    """Serve until TERM, as `lararium_daemon.app.serve` does."""
    del lock_fd, foreground
    environment = read_environment()
    manner = environment.get("SMALL_DAEMON", "").split(",")
    if "slow" in manner:
        time.sleep(3)
    if "silent" in manner:
        return 7
    if "refuse" in manner:
        raise LarariumError("database_newer", "The journal is of a newer version.", 500)
    if "group" in manner:
        raise ExceptionGroup("in a task group", [RuntimeError("a bug in the daemon")])
    if "crash" in manner:
        raise RuntimeError("a bug in the daemon")
    paths = resolve_paths(environment).workspace(workspace)
    if "report" in manner:
        write_report(paths.state_dir / "report.json")
    _start_tools(manner, {**environment, OWNER_MARK: paths.owner_mark, CALL_MARK: "call-1"})
    major = next((int(word[6:]) for word in manner if word.startswith("major=")), 1)
    server = SmallDaemon(
        secrets.token_hex(8), secrets.token_urlsafe(32), major, mute="mute" in manner
    )

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        threading.Thread(target=server.shutdown).start()

    signal.signal(signal.SIGTERM, signal.SIG_IGN if "deaf" in manner else stop)
    record = own_record(guid=server.guid, port=server.port, api_version=(major, 0), app_version="0")
    write_runtime(paths, record, server.token)
    announce_ready(ready_fd, paths.workspace_id, record)
    server.serve_forever(poll_interval=0.05)
    server.server_close()
    remove_runtime(paths, server.guid)
    return 0


def _start_tools(manner: Sequence[str], environment: Mapping[str, str]) -> None:
    if "tools" in manner:
        for script in ESCAPES:
            subprocess.Popen(["bash", "-c", script], start_new_session=True, env=environment)
    if "children" in manner:
        for _ in range(2):
            subprocess.Popen(["sleep", "300"], start_new_session=True, env=environment)


def _outdated() -> None:
    stamps = itertools.count()
    fork_server.code_stamp = spare.code_stamp = lambda: (next(stamps), 0)


def _threaded() -> None:
    threading.Thread(target=threading.Event().wait, daemon=True).start()


COMMAND = (sys.executable, "-P", os.fspath(Path(__file__).resolve()))
"""What starts a guardian of a small daemon; `--workspace DIR` follows."""


def main() -> int:
    environment = read_environment()
    manner = environment.get("SMALL_DAEMON", "")
    if "hasty" in manner:
        guardian.STOP_SECONDS = 0.5
    if sys.argv[1:2] not in (["_fork_server"], ["_spare"]):
        return guardian.main(sys.argv[1:], serve, environment)
    if "outdated" in manner:
        _outdated()
    if sys.argv[1] == "_spare":
        return spare.main(sys.argv[2:], lambda: serve, environment)
    if "threaded" in manner:
        _threaded()
    return fork_server.main(sys.argv[2:], lambda: serve, environment)


if __name__ == "__main__":
    sys.exit(main())
