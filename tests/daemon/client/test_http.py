"""The client speaks JSON to one loopback server, and says what went wrong."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.http import DaemonClient


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    status = 200
    chunks: tuple[bytes, ...] = (b"{}",)

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]  # its only server

    def _answer(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, headers, body))
        self.send_response(self.server.status)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in self.server.chunks:
            self.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        self.wfile.write(b"0\r\n\r\n")

    do_GET = do_POST = do_PATCH = _answer

    def log_message(self, format: str, *args: Any) -> None:
        del format, args


@pytest.fixture
def server() -> Iterator[_Server]:
    server = _Server()
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02))
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join(5)


def problem_of(call: Callable[[], object]) -> ClientError:
    with pytest.raises(ClientError) as problem:
        call()
    return problem.value


def test_a_request_carries_the_token_and_json(server: _Server) -> None:
    server.chunks = (b'{"id": ', b'"ses_1"}')
    client = DaemonClient(server.base_url, "the-token")
    assert client.request("POST", "/api/sessions", {"title": "é"}) == {"id": "ses_1"}
    method, path, headers, body = server.seen[0]
    assert (method, path, json.loads(body)) == ("POST", "/api/sessions", {"title": "é"})
    assert headers["authorization"] == "Bearer the-token"
    assert headers["content-type"] == "application/json"
    assert headers["host"] == server.base_url.removeprefix("http://")
    assert "the-token" not in repr(client)


def test_a_dead_proxy_in_the_environment_changes_nothing(
    server: _Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert DaemonClient(server.base_url, None).request("GET", "/api/health") == {}
    assert "authorization" not in server.seen[0][2]


def test_a_problem_keeps_its_code_detail_and_status(server: _Server) -> None:
    server.status = 409
    server.chunks = (b'{"code": "message_id_reused", "detail": "Other text.", "status": 409}',)
    problem = problem_of(lambda: DaemonClient(server.base_url, "t").request("POST", "/api/x", {}))
    assert (problem.code, problem.detail, problem.status) == (
        "message_id_reused",
        "Other text.",
        409,
    )


@pytest.mark.parametrize("answer", [b"<html>", b"", b"[]", b'{"code": 7}'])
def test_a_refusal_that_is_no_problem_json_is_said(server: _Server, answer: bytes) -> None:
    server.status = 500
    server.chunks = (answer,) if answer else ()
    problem = problem_of(lambda: DaemonClient(server.base_url, "t").request("GET", "/api/x"))
    assert (problem.code, problem.status) == ("refused", 500)
    assert "500" in problem.detail


@pytest.mark.parametrize("answer", [b"[]", b"7", b"nope", b"\xff"])
def test_an_answer_that_is_no_object_is_said(server: _Server, answer: bytes) -> None:
    server.chunks = (answer,)
    problem = problem_of(lambda: DaemonClient(server.base_url, "t").request("GET", "/api/x"))
    assert problem.code == "bad_answer"


def test_nobody_listening_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = DaemonClient(f"http://127.0.0.1:{port}", "t")
    assert problem_of(lambda: client.request("GET", "/api/x")).code == "daemon_gone"


def test_a_server_that_says_nothing_is_left_in_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = DaemonClient(f"http://127.0.0.1:{listener.getsockname()[1]}", "t")
        problem = problem_of(lambda: client.request("GET", "/api/x", timeout_seconds=0.05))
    assert problem.code == "daemon_timed_out"


def test_a_server_that_speaks_something_else_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            peer, _ = listener.accept()
            peer.recv(1024)
            peer.sendall(b"SSH-2.0-x\r\n")
            peer.close()

        thread = threading.Thread(target=answer)
        thread.start()
        client = DaemonClient(f"http://127.0.0.1:{listener.getsockname()[1]}", "t")
        assert problem_of(lambda: client.request("GET", "/api/x")).code == "daemon_gone"
        thread.join(5)


@pytest.mark.parametrize("sent", [b"", b'{"message_id": "m', b'{"items": []}'])
def test_an_answer_that_is_cut_off_is_no_answer(sent: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def die_in_the_answer() -> None:
            peer, _ = listener.accept()
            with peer:
                peer.recv(4096)
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n" + sent)

        thread = threading.Thread(target=die_in_the_answer)
        thread.start()
        client = DaemonClient(f"http://127.0.0.1:{listener.getsockname()[1]}", None)
        with pytest.raises(ClientError) as caught:
            client.request("GET", "/")
        thread.join(5)
    assert caught.value.code == "daemon_gone"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_come_whole_however_they_are_cut(server: _Server, size: int) -> None:
    text = '{"a": 1}\n\n{"b": "日本"}\n{"c": 3}\ntorn'.encode()
    server.chunks = tuple(text[i : i + size] for i in range(0, len(text), size))
    lines = list(DaemonClient(server.base_url, "t").stream_lines("/api/events"))
    assert lines == [b'{"a": 1}', '{"b": "日本"}'.encode(), b'{"c": 3}']


def test_a_refused_stream_is_a_problem(server: _Server) -> None:
    server.status = 404
    server.chunks = (b'{"code": "unknown_session", "detail": "No such session."}',)
    stream = DaemonClient(server.base_url, "t").stream_lines("/api/events")
    assert problem_of(lambda: next(stream)).code == "unknown_session"


@pytest.mark.parametrize(
    "address",
    ["http://localhost:80", "http://192.0.2.1:80", "https://127.0.0.1:80", "http://127.0.0.1"],
)
def test_the_token_goes_nowhere_but_loopback(address: str) -> None:
    with pytest.raises(ValueError, match=r"1|localhost"):
        DaemonClient(address, "t")
