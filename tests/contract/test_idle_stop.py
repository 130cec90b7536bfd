"""When a daemon stops by itself, what keeps it, and that nothing is lost at the edge of it."""

import json
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.llm_server import FakeLlm
from tests.fakes.real_daemon import RealDaemon, real_daemon
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient
from lararium_daemon.client.start import start_daemon
from lararium_daemon.client.stop import drain_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.locks import is_locked

PATIENCE_SECONDS = 1
LONG_SECONDS = 2.0
"""Twice the patience: who is kept so long is kept."""


@pytest.fixture
def daemon(tmp_path: Path, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Generator[RealDaemon]:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)
    with real_daemon(tmp_path / "proj", idle_stop_seconds=PATIENCE_SECONDS) as daemon:
        yield daemon


def client_of(daemon: RealDaemon) -> DaemonClient:
    return DaemonClient(daemon.base_url, daemon.token)


def stops(daemon: RealDaemon, seconds: float = 15.0) -> bool:
    end = time.monotonic() + seconds
    while is_locked(daemon.places.owner_lock):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def stays(daemon: RealDaemon) -> bool:
    return not stops(daemon, LONG_SECONDS)


@contextmanager
def page(daemon: RealDaemon) -> Generator[ClientConnection]:
    url = daemon.base_url.replace("http", "ws") + "/api/events"
    with connect(
        url,
        subprotocols=[Subprotocol("lar.v1")],
        additional_headers={"Authorization": f"Bearer {daemon.token}"},
        proxy=None,
    ) as connection:
        yield connection


def send(connection: ClientConnection, **message: Any) -> None:
    connection.send(json.dumps(message))


def post(client: DaemonClient, session: str, text: str) -> dict[str, Any]:
    message = {"client_message_id": text, "text": text}
    return client.request("POST", f"/api/sessions/{session}/messages", message)


def new_session(client: DaemonClient, mode: str = "yolo") -> str:
    return client.request("POST", "/api/sessions", {"mode": mode})["id"]


def until(claim: Callable[[], bool], seconds: float = 15.0) -> None:
    end = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.02)


def test_an_idle_daemon_stops_and_the_next_caller_wakes_it_with_everything(
    daemon: RealDaemon, tmp_path: Path
) -> None:
    session = new_session(client_of(daemon))
    assert stops(daemon)
    assert not daemon.places.daemon_json.exists()
    woken = start_daemon(tmp_path / "proj", read_environment())
    assert not woken.already_running
    assert woken.client().request("GET", f"/api/sessions/{session}")["id"] == session
    assert "Idle for 1 s" in daemon.log_messages("lararium_daemon.app")


def test_a_visible_page_keeps_it_and_a_hidden_one_does_not(daemon: RealDaemon) -> None:
    with page(daemon) as connection:
        send(connection, type="subscribe", topic="sessions")
        assert stays(daemon)
        send(connection, type="subscribe", topic="sessions", visible=False)
        assert stops(daemon)


def test_a_page_that_is_shown_again_keeps_it(daemon: RealDaemon) -> None:
    with page(daemon) as connection:
        session = new_session(client_of(daemon))
        send(connection, type="subscribe", session_id=session, visible=False)
        send(connection, type="subscribe", session_id=session, visible=True)
        assert stays(daemon)
    assert stops(daemon)


def test_the_hubs_attention_does_not_keep_it(daemon: RealDaemon) -> None:
    with page(daemon) as connection:
        send(connection, type="subscribe", topic="attention", after_seq=0)
        assert stops(daemon)


def test_a_command_that_follows_events_keeps_it(daemon: RealDaemon) -> None:
    client = client_of(daemon)
    lines = client.stream_lines(f"/api/sessions/{new_session(client)}/events")
    next(lines)
    assert stays(daemon)
    lines.close()
    assert stops(daemon)


def test_a_run_and_an_open_ask_keep_it(daemon: RealDaemon) -> None:
    client = client_of(daemon)
    session = new_session(client, "default")
    post(client, session, "go [[fake rounds=1 tool=shell command='touch x']]")
    until(lambda: client.request("GET", "/api/permissions/requests")["items"] != [])
    assert stays(daemon)
    [request] = client.request("GET", "/api/permissions/requests")["items"]
    decision = {"decision": "deny", "scope": "once", "shown_sha256": request["shown_sha256"]}
    client.request("POST", f"/api/permissions/requests/{request['id']}/decision", decision)
    assert stops(daemon)


def test_draining_lets_the_run_end_and_takes_no_other(daemon: RealDaemon, tmp_path: Path) -> None:
    client = client_of(daemon)
    running, other = new_session(client), new_session(client)
    command = "touch begun; while [ ! -e go ]; do sleep 0.05; done"
    post(client, running, f"go [[fake rounds=1 tool=shell command='{command}']]")
    until((tmp_path / "proj" / "begun").exists)
    assert drain_daemon(daemon.places) == 1
    with pytest.raises(ClientError) as refusal:
        post(client, other, "too late")
    assert (refusal.value.code, refusal.value.status) == ("daemon_stopping", 503)
    assert post(client, running, f"go [[fake rounds=1 tool=shell command='{command}']]")["run_id"]
    assert stays(daemon)
    (tmp_path / "proj" / "go").touch()
    assert stops(daemon)
    woken = start_daemon(tmp_path / "proj", read_environment()).client()
    assert woken.request("GET", f"/api/sessions/{running}")["last_outcome"] == "completed"
    assert woken.request("GET", f"/api/sessions/{other}/messages")["items"] == []


def test_draining_a_daemon_without_runs_ends_it_and_without_a_daemon_is_nothing(
    daemon: RealDaemon,
) -> None:
    assert drain_daemon(daemon.places) == 0
    assert stops(daemon)
    assert drain_daemon(daemon.places) is None


def test_a_message_at_the_very_end_is_taken_whole_or_not_at_all(
    daemon: RealDaemon, tmp_path: Path
) -> None:
    """Whoever got a 202 finds the message, and its run ended of its own or was never begun."""
    client = client_of(daemon)
    sessions = [new_session(client) for _ in range(20)]
    taken: list[str] = []
    refused: list[str] = []

    def ask(session: str) -> None:
        try:
            post(client, session, "hello")
            taken.append(session)
        except ClientError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=ask, args=(session,)) for session in sessions]
    for thread in threads[:10]:
        thread.start()
    drain_daemon(daemon.places)
    for thread in threads[10:]:
        thread.start()
    for thread in threads:
        thread.join(15)
    assert set(refused) <= {"daemon_stopping", "daemon_gone"}
    assert len(taken) + len(refused) == 20
    assert stops(daemon)
    woken = start_daemon(tmp_path / "proj", read_environment()).client()

    def outcome(session: str) -> str | None:
        return woken.request("GET", f"/api/sessions/{session}")["last_outcome"]

    until(lambda: all(outcome(session) == "completed" for session in taken))
    untaken = set(sessions) - set(taken)
    assert all(
        woken.request("GET", f"/api/sessions/{session}/messages")["items"] == []
        for session in untaken
    )
