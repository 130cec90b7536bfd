"""How much a caller may send and hold: bodies, heads, connections."""

import json
import logging
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.guard_rows import HOST, JSON, TITLE, TOKEN, ask, built_site, create, fill, read
from tests.fakes.guarded_site import GuardedSite
from tests.fakes.raw_http import head, send, send_bytes


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedSite]:
    with built_site(tmp_path_factory.mktemp("static")) as running:
        yield running


@pytest.fixture(autouse=True)
def forget_calls(site: GuardedSite) -> None:
    site.calls.clear()


def test_an_announced_body_that_is_too_large_is_refused_from_the_head(site: GuardedSite) -> None:
    headers = fill(site, HOST, TOKEN, JSON, ("Content-Length", "1000000000000"))
    answer = send_bytes(site.port, head("POST", "/api/sessions", headers))
    assert (answer.status, answer.code) == (413, "body_too_large")


def test_a_client_that_sends_on_after_a_refusal_still_reads_the_answer(site: GuardedSite) -> None:
    answer = ask(site, create(HOST, TOKEN, JSON, body=b"x" * 6_000_000))
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert answer.headers["connection"] == "close"


def test_a_body_without_a_length_is_counted_while_it_is_read(site: GuardedSite) -> None:
    headers = fill(site, HOST, TOKEN, JSON, ("Transfer-Encoding", "chunked"))
    chunk = b"100000\r\n" + b"x" * 0x100000 + b"\r\n"
    answer = send_bytes(
        site.port, head("POST", "/api/sessions", headers) + chunk * 5 + b"0\r\n\r\n"
    )
    assert (answer.status, answer.code) == (413, "body_too_large")
    assert site.calls == []


def test_a_small_body_without_a_length_is_taken(site: GuardedSite) -> None:
    headers = fill(site, HOST, TOKEN, JSON, ("Transfer-Encoding", "chunked"))
    data = head("POST", "/api/sessions", headers) + b"10\r\n" + TITLE + b"\r\n0\r\n\r\n"
    assert send_bytes(site.port, data).status == 201


def test_an_upload_says_its_length_beforehand(site: GuardedSite) -> None:
    octets = ("Content-Type", "application/octet-stream")
    headers = fill(site, HOST, TOKEN, octets, ("Transfer-Encoding", "chunked"))
    data = head("PUT", "/api/sessions/s/attachments/a", headers) + b"1\r\nx\r\n0\r\n\r\n"
    assert send_bytes(site.port, data).code == "length_required"


def test_a_body_with_two_lengths_is_malformed(site: GuardedSite) -> None:
    lengths = [("Content-Length", "5"), ("Transfer-Encoding", "chunked")]
    headers = fill(site, HOST, TOKEN, JSON, *lengths)
    answer = send_bytes(site.port, head("POST", "/api/sessions", headers) + b"0\r\n\r\n")
    assert (answer.status, answer.code) == (400, "malformed_request")


def test_open_routes_take_a_few_kilobytes_only(site: GuardedSite) -> None:
    nonce = json.dumps({"nonce": "x" * 5000}).encode()
    assert send(site.port, "POST", "/api/auth/prove", fill(site, HOST, JSON), nonce).status == 413


@pytest.mark.parametrize(
    "line",
    [
        b"GET http://evil.example/api/health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"CONNECT 127.0.0.1:%d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n",
        b"GET /api/health HTTP/1.1\r\nHost : 127.0.0.1:%d\r\n\r\n",
        b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nA: \x00\r\n\r\n",
        b"POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: Upgrade\r\n"
        b"Upgrade: websocket\r\n\r\n",
        b"\x16\x03\x01\x02%d\r\n\r\n",
    ],
    ids=["absolute", "connect", "asterisk", "space", "nul", "upgrading post", "tls"],
)
def test_what_is_no_plain_request_is_answered_400(site: GuardedSite, line: bytes) -> None:
    answer = send_bytes(site.port, line % site.port)
    assert (answer.status, answer.code) == (400, "malformed_request")


def test_many_idle_connections_are_refused_beyond_a_hundred(site: GuardedSite) -> None:
    held = [socket.create_connection(("127.0.0.1", site.port), timeout=5) for _ in range(100)]
    try:
        answer = send_bytes(site.port, b"")
        assert (answer.status, answer.code) == (503, "too_many_connections")
    finally:
        for each in held:
            each.close()


def test_a_head_beyond_its_limit_is_refused_while_it_arrives(site: GuardedSite) -> None:
    unfinished = b"GET / HTTP/1.1\r\nA: " + b"x" * 20_000
    answer = send_bytes(site.port, unfinished)
    assert (answer.status, answer.code) == (431, "head_too_large")


def test_a_finished_head_beyond_its_limit_is_refused(site: GuardedSite) -> None:
    fields = [("A", "x" * 1000)] * 17
    answer = send(site.port, "GET", "/", [*fill(site, HOST), *fields])
    assert (answer.status, answer.code) == (431, "head_too_large")


def test_a_large_body_does_not_count_as_a_head(site: GuardedSite) -> None:
    data = json.dumps({"title": "x" * 200_000}).encode()
    assert ask(site, create(HOST, TOKEN, JSON, body=data)).status == 201


def test_requests_in_a_row_on_one_connection_are_each_judged(site: GuardedSite) -> None:
    good = head("GET", "/api/sessions", fill(site, HOST, TOKEN))
    bad = head("GET", "/api/sessions", [*fill(site, HOST), ("Connection", "close")])
    with socket.create_connection(("127.0.0.1", site.port), timeout=5) as connection:
        connection.sendall(good + bad)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    assert received.count(b"HTTP/1.1 200 OK") == 1
    assert received.count(b"HTTP/1.1 401 Unauthorized") == 1


def test_an_upload_that_is_cut_off_is_no_error_of_the_server(
    site: GuardedSite, caplog: pytest.LogCaptureFixture
) -> None:
    octets = ("Content-Type", "application/octet-stream")
    headers = fill(site, HOST, TOKEN, octets, ("Content-Length", "100"))
    request = head("PUT", "/api/sessions/s/attachments/a", headers) + b"x"
    with socket.create_connection(("127.0.0.1", site.port), timeout=5) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert ask(site, read(HOST, TOKEN)).status == 200
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "localhost", ""])
def test_a_daemon_for_other_machines_is_refused_before_anything_listens(
    host: str, lararium_home: Path, tmp_path: Path
) -> None:
    command = [sys.executable, "-P", "-m", "lararium_daemon", "daemon", "serve", "--host", host]
    done = subprocess.run(
        command, cwd=tmp_path, env={**os.environ}, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (78, "")
    assert f"--host {host}" in done.stderr
    assert "nothing was started" in done.stderr
    assert not lararium_home.exists()
