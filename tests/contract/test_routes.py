"""Every route of a real daemon, enumerated from its own description, stands behind the guard."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.fakes.raw_http import Answer, send
from tests.fakes.real_daemon import RealDaemon, real_daemon

OPEN = {("GET", "/api/health"), ("POST", "/api/auth/prove"), ("POST", "/api/auth/exchange")}
ENDS_THE_DAEMON = {("POST", "/api/drain")}
OCTETS = "application/octet-stream"
METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Daemon:
    running: RealDaemon
    routes: list[tuple[str, str]]

    def ask(self, method: str, path: str, *headers: tuple[str, str]) -> Answer:
        host = ("Host", f"127.0.0.1:{self.running.port}")
        body = b"{}" if method not in {"GET", "DELETE"} else b""
        is_upload = method == "PUT" and "/attachments/" in path
        kind = [("Content-Type", OCTETS if is_upload else "application/json")] if body else []
        return send(self.running.port, method, path, [host, *kind, *headers], body)

    @property
    def lasting(self) -> list[tuple[str, str]]:
        """The routes after which the daemon still runs."""
        return [route for route in self.routes if route not in ENDS_THE_DAEMON]

    @property
    def bearer(self) -> tuple[str, str]:
        return ("Authorization", f"Bearer {self.running.token}")


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with real_daemon(tmp_path_factory.mktemp("workspace") / "project") as running:
        asked = Daemon(running, [])
        described = asked.ask("GET", "/api/openapi.json", asked.bearer).json
        for path, operations in described["paths"].items():
            filled = re.sub(r"\{[^}]+\}", "none", path)
            asked.routes.extend((each.upper(), filled) for each in METHODS if each in operations)
        yield asked


def test_the_description_names_many_routes(daemon: Daemon) -> None:
    assert set(daemon.routes) > OPEN
    assert len(daemon.routes) >= 15


def test_no_route_but_the_open_ones_answers_without_a_credential(daemon: Daemon) -> None:
    answers = {route: daemon.ask(*route) for route in daemon.routes if route not in OPEN}
    assert {each.status for each in answers.values()} == {401}
    assert {each.code for each in answers.values()} == {"credential_missing"}


def test_a_wrong_credential_opens_no_route(daemon: Daemon) -> None:
    wrong = ("Authorization", "Bearer wrong")
    answers = [daemon.ask(*route, wrong) for route in daemon.routes if route not in OPEN]
    assert {each.code for each in answers} == {"credential_invalid", "too_many_failures"}


def test_no_route_answers_another_origin_even_with_the_token(daemon: Daemon) -> None:
    foreign = ("Origin", "http://127.0.0.1:3000")
    answers = [daemon.ask(*route, daemon.bearer, foreign) for route in daemon.routes]
    assert {(each.status, each.code) for each in answers} == {(403, "foreign_origin")}


def test_no_route_reads_a_form(daemon: Daemon) -> None:
    form = ("Content-Type", "application/x-www-form-urlencoded")
    host = ("Host", f"127.0.0.1:{daemon.running.port}")
    answers = [
        send(daemon.running.port, method, path, [host, form, daemon.bearer], b"a=b")
        for method, path in daemon.routes
    ]
    assert {(each.status, each.code) for each in answers} == {(415, "unsupported_body")}


def test_with_the_token_every_route_answers_without_breaking(daemon: Daemon) -> None:
    answers = {route: daemon.ask(*route, daemon.bearer) for route in daemon.lasting}
    broken = {route: each.status for route, each in answers.items() if each.status >= 500}
    assert broken == {}
    refused = {route: each.code for route, each in answers.items() if each.status in {401, 415}}
    assert refused == {}


ODD_BODIES = [
    b"[]",
    b"null",
    b'"text"',
    b"1e999",
    b"NaN",
    b'{"text": ',
    b'{"": {"": {"": [[[{}]]]}}}',
    b'{"\\ud800": "\\udfff", "title": "\\ud83d", "text": "\\u0000"}',
    b"[" * 2000,
    b'{"title": ' + b"[" * 400 + b"]" * 400 + b"}",
    b"\xff\xfe{\x00}\x00",
    b"\xed\xa0\x80",
]


@pytest.mark.parametrize("body", ODD_BODIES)
def test_no_odd_body_breaks_a_route(daemon: Daemon, body: bytes) -> None:
    kind = ("Content-Type", "application/json")
    host = ("Host", f"127.0.0.1:{daemon.running.port}")
    writes = [each for each in daemon.lasting if each[0] in {"POST", "PUT", "PATCH"}]
    answers = {
        route: send(daemon.running.port, *route, [host, kind, daemon.bearer], body).status
        for route in writes
    }
    assert {route: status for route, status in answers.items() if status >= 500} == {}


def test_half_a_surrogate_pair_in_a_title_is_replaced_and_kept(daemon: Daemon) -> None:
    port, host = daemon.running.port, ("Host", f"127.0.0.1:{daemon.running.port}")
    headers = [host, ("Content-Type", "application/json"), daemon.bearer]
    made = send(port, "POST", "/api/sessions", headers, b'{"title": "a\\ud83d"}')
    assert (made.status, made.json["title"]) == (201, "a\ufffd")
    listed = send(port, "GET", "/api/sessions", headers)
    assert "a\ufffd" in [each["title"] for each in listed.json["items"]]


def test_every_answer_carries_the_security_headers(daemon: Daemon) -> None:
    for route in daemon.lasting:
        headers = daemon.ask(*route, daemon.bearer).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert not [each for each in headers if each.startswith("access-control-")]


def test_no_secret_is_in_the_log(daemon: Daemon) -> None:
    ticket = send(
        daemon.running.port,
        "POST",
        "/api/auth/tickets",
        [
            ("Host", f"127.0.0.1:{daemon.running.port}"),
            ("Content-Type", "application/json"),
            daemon.bearer,
        ],
        b'{"purpose": "ui"}',
    ).json["ticket"]
    daemon.ask("GET", f"/api/sessions?token={daemon.running.token}&ticket={ticket}")
    log = daemon.running.places.log.read_text(encoding="utf-8")
    assert "refused GET /api/sessions: credential_missing" in log
    assert daemon.running.token not in log
    assert ticket not in log
