"""A real daemon and a real hub, each in both modes of `auth.loopback`."""

import json
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.fakes.guard_rows import Header
from tests.fakes.raw_http import Answer, head, send, send_bytes
from tests.fakes.real_daemon import real_daemon
from tests.fakes.running_hub import running_hub

from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.paths import resolve_paths

Kind = Literal["daemon", "hub"]
Mode = Literal["token", "trust-same-user"]
KINDS: tuple[Kind, ...] = ("daemon", "hub")
MODES: tuple[Mode, ...] = ("token", "trust-same-user")


@dataclass(frozen=True)
class GuardedServer:
    """What a row is sent to; `{port}` and `{token}` are filled in."""

    kind: Kind
    mode: Mode
    port: int
    token: str

    def ask(self, method: str, path: str, headers: list[Header], body: bytes = b"") -> Answer:
        return send(self.port, method, self._fill(path), self._filled(headers), body)

    def shake_hands(self, path: str, headers: list[Header]) -> Answer:
        return send_bytes(self.port, head("GET", self._fill(path), self._filled(headers)))

    def _filled(self, headers: list[Header]) -> list[Header]:
        return [(name, self._fill(value)) for name, value in headers]

    def _fill(self, text: str) -> str:
        return text.replace("{port}", str(self.port)).replace("{token}", self.token)


@contextmanager
def guarded_server(kind: Kind, mode: Mode, folder: Path) -> Generator[GuardedServer]:
    """Start it on the caller's home and end it with everything it started."""
    auth = {"loopback": mode}
    if kind == "daemon":
        with real_daemon(folder / "project", auth=auth) as daemon:
            yield GuardedServer(kind, mode, daemon.port, daemon.token)
        return
    config = resolve_paths(read_environment()).config
    config.mkdir(parents=True, exist_ok=True)
    (config / "settings.json").write_text(json.dumps({"auth": auth}), encoding="utf-8")
    with running_hub() as hub:
        yield GuardedServer(kind, mode, hub.link.port, hub.link.token)
