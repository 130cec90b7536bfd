"""A connection that does not get on is ended; one that does is left alone."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.guard_rows import HOST, TOKEN, fill
from tests.fakes.guarded_site import GuardedSite, guarded_site
from tests.fakes.raw_http import head
from websockets.sync.client import connect

from lararium_daemon.edge import connection


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GuardedSite]:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.1)
    with guarded_site(tmp_path) as running:
        yield running


def dial(site: GuardedSite) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), timeout=10)


@pytest.mark.parametrize("start", [b"", b"\r\n", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_end_in_time_ends_the_connection(
    site: GuardedSite, start: bytes
) -> None:
    with dial(site) as sock:
        sock.sendall(start)
        assert sock.recv(100) == b""


@pytest.mark.parametrize("start", [b"\r\n", b"GET / HT"])
def test_the_next_head_on_the_same_connection_has_its_time_too(
    site: GuardedSite, start: bytes
) -> None:
    with dial(site) as sock:
        sock.sendall(head("GET", "/api/health", fill(site, HOST)))
        answer = b""
        while not answer.endswith(b"}}"):
            answer += sock.recv(10_000)
        sock.sendall(start)
        assert sock.recv(100) == b""


def test_a_websocket_outlives_the_time_of_a_head(site: GuardedSite) -> None:
    headers = dict(fill(site, TOKEN))
    url = f"ws://127.0.0.1:{site.port}/api/echo"
    with connect(url, additional_headers=headers, proxy=None) as client:
        with dial(site) as later:
            assert later.recv(100) == b""
        client.send("still here")
        assert client.recv(timeout=5) == "still here"
