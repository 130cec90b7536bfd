"""A daemon of the standard library alone, behind the real guardian: it listens and proves itself.

Run as a program it is a guardian's command (`--workspace DIR [--foreground]`). `SMALL_DAEMON` in
the environment sets its manner, comma-separated: `slow` (ready after 3 s), `deaf` (ignores TERM),
`silent` (ends before it is ready), `refuse` (an error of ours before it is ready), `crash` (dies
by a bug after saying something), `tools` (leaves processes behind that try to get away),
`children` (has tools that still run), `major=N` (speaks API N), `mute` (listens and never
answers), `hasty` (its guardian kills after 0.5 s).
"""

import hashlib
import hmac
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import FrameType
from typing import Any

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system import guardian
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths
from lararium_daemon.system.runtime import (
    announce_ready,
    own_record,
    remove_runtime,
    write_runtime,
)

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
    if "crash" in manner:
        raise RuntimeError("a bug in the daemon")
    if "tools" in manner:
        for script in ESCAPES:
            subprocess.Popen(["bash", "-c", script], start_new_session=True)
    if "children" in manner:
        for _ in range(2):
            subprocess.Popen(["sleep", "300"], start_new_session=True)
    major = next((int(word[6:]) for word in manner if word.startswith("major=")), 1)
    paths = resolve_paths(environment).workspace(workspace)
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


COMMAND = (sys.executable, "-P", os.fspath(Path(__file__).resolve()))
"""What starts a guardian of a small daemon; `--workspace DIR` follows."""

if __name__ == "__main__":
    if "hasty" in read_environment().get("SMALL_DAEMON", ""):
        guardian.STOP_SECONDS = 0.5
    sys.exit(guardian.main(sys.argv[1:], serve, read_environment()))
