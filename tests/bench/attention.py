"""P16: how soon what a daemon asks is on the screen, in the tray, and gone once it is answered."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.bench.figures import Figure, median
from tests.bench.shell import Shell, screen, shell_in_sight
from tests.bench.workshop import llm_process
from tests.fakes.notification_server import NotificationServer
from tests.fakes.tray_host import TrayHost

from lararium_daemon.client.http import DaemonClient

REPEATS = 20
WAIT_SECONDS = 20.0
PROMPT = "[[fake rounds=1 tool=write path=hello.txt content=hello]]"
PAUSE_SECONDS = 0.002


@dataclass(frozen=True)
class _Delays:
    """Of one request, in milliseconds."""

    notified: float
    in_tray: float
    closed: float


def attention() -> list[Figure]:
    """Measure requests of a real daemon, each denied in the inbox."""
    with llm_process() as llm, screen(llm.environment) as rig:
        address = rig.environment["DBUS_SESSION_BUS_ADDRESS"]
        with NotificationServer(address) as notes, shell_in_sight(rig) as (shell, host):
            client = shell.open(*shell.add("atlas")).client()
            _once(shell, client, notes, host)
            delays = [_once(shell, client, notes, host) for _ in range(REPEATS)]
    rows = (
        ("a daemon's request to its notification on the bus", "notified", 250),
        ("a daemon's request to its line in the tray's menu", "in_tray", 300),
        ("an answer to its end in inbox, notification and menu", "closed", 200),
    )
    return [
        Figure("P16", what, median([getattr(each, name) for each in delays]), None, "ms", most)
        for what, name, most in rows
    ]


def _once(shell: Shell, client: DaemonClient, notes: NotificationServer, host: TrayHost) -> _Delays:
    before = len(notes.calls)
    session = str(client.request("POST", "/api/sessions", {})["id"])
    message = {"client_message_id": "m1", "text": PROMPT}
    client.request("POST", f"/api/sessions/{session}/messages", message)
    _wait(lambda: len(notes.calls) > before)
    notified = time.time()
    _wait(lambda: "change a file" in str(host.menu()))
    in_tray = time.time()
    asked = _asked_at(client)
    [item] = shell.hub.request("GET", "/inbox")["items"][:1]
    answered = time.time()
    shell.hub.request("POST", f"/inbox/{item['id']}/answer", {"action": "deny"})
    _wait(lambda: not notes.there)
    _wait(lambda: "change a file" not in str(host.menu()))
    _wait(lambda: all(not each["waiting"] for each in _inbox(shell)))
    closed = time.time()
    _wait(lambda: client.request("GET", "/api/status")["running"] == 0)
    return _Delays(1000 * (notified - asked), 1000 * (in_tray - asked), 1000 * (closed - answered))


def _asked_at(client: DaemonClient) -> float:
    """Give when the open request was made, as its daemon says."""
    [request] = client.request("GET", "/api/permissions/requests")["items"]
    return datetime.fromisoformat(request["created_at"]).timestamp()


def _inbox(shell: Shell) -> list[dict[str, Any]]:
    return shell.hub.request("GET", "/inbox")["items"]


def _wait(is_so: Callable[[], bool]) -> None:
    give_up = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if time.monotonic() > give_up:
            raise TimeoutError("what should happen did not")
        time.sleep(PAUSE_SECONDS)
