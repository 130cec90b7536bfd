"""Who may speak to a server: every row over a real socket, before any route runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.guard_rows import (
    FORM,
    HOST,
    JSON,
    NEIGHBOUR,
    OWN,
    TITLE,
    TOKEN,
    Row,
    ask,
    built_site,
    create,
    fetched,
    fill,
    read,
    row,
)
from tests.fakes.guarded_site import GuardedSite, guarded_site
from tests.fakes.raw_http import send


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedSite]:
    with built_site(tmp_path_factory.mktemp("static")) as running:
        yield running


@pytest.fixture(autouse=True)
def forget_calls(site: GuardedSite) -> None:
    site.calls.clear()


REFUSED: dict[str, tuple[Row, int, str]] = {
    "no credential": (read(HOST), 401, "credential_missing"),
    "rebound host": (
        read(("Host", "evil.example:{port}"), TOKEN),
        421,
        "wrong_host",
    ),
    "host without port": (read(("Host", "127.0.0.1"), TOKEN), 421, "wrong_host"),
    "host with suffix": (
        read(("Host", "127.0.0.1.evil.example:{port}"), TOKEN),
        421,
        "wrong_host",
    ),
    "wildcard host": (read(("Host", "0.0.0.0:{port}"), TOKEN), 421, "wrong_host"),
    "other port": (read(("Host", "127.0.0.1:1"), TOKEN), 421, "wrong_host"),
    "ipv6 host": (read(("Host", "[::1]:{port}"), TOKEN), 421, "wrong_host"),
    "no host": (read(TOKEN), 400, "malformed_request"),
    "two hosts": (read(HOST, HOST, TOKEN), 400, "malformed_request"),
    "two origins": (read(HOST, OWN, OWN, TOKEN), 400, "malformed_request"),
    "two credentials": (read(HOST, TOKEN, TOKEN), 400, "malformed_request"),
    "foreign origin": (
        create(HOST, TOKEN, JSON, ("Origin", "https://evil.example")),
        403,
        "foreign_origin",
    ),
    "null origin": (
        create(HOST, TOKEN, JSON, ("Origin", "null")),
        403,
        "foreign_origin",
    ),
    "neighbour origin": (
        create(HOST, TOKEN, JSON, NEIGHBOUR),
        403,
        "foreign_origin",
    ),
    "own origin by other name": (
        create(HOST, TOKEN, JSON, ("Origin", "http://localhost:{port}")),
        403,
        "foreign_origin",
    ),
    "same-site read": (read(HOST, TOKEN, *fetched("same-site")), 403, "foreign_site"),
    "cross-site read": (
        read(HOST, TOKEN, *fetched("cross-site")),
        403,
        "foreign_site",
    ),
    "cross-site navigation to the API": (
        read(HOST, *fetched("cross-site", "navigate", "document")),
        403,
        "foreign_site",
    ),
    "iframe of the API": (
        read(HOST, *fetched("same-site", "navigate", "iframe")),
        403,
        "foreign_site",
    ),
    "text body": (
        create(HOST, TOKEN, ("Content-Type", "text/plain")),
        415,
        "unsupported_body",
    ),
    "form body": (create(HOST, TOKEN, FORM, body=b"title=one"), 415, "unsupported_body"),
    "multipart body": (
        create(HOST, TOKEN, ("Content-Type", "multipart/form-data; boundary=x"), body=b"--x"),
        415,
        "unsupported_body",
    ),
    "empty form": (row("POST", "/api/rules", HOST, TOKEN, FORM), 415, "unsupported_body"),
    "untyped body": (create(HOST, TOKEN), 415, "unsupported_body"),
    "other charset": (
        create(HOST, TOKEN, ("Content-Type", "application/json; charset=utf-16")),
        415,
        "unsupported_body",
    ),
    "zipped body": (
        create(HOST, TOKEN, JSON, ("Content-Encoding", "gzip")),
        415,
        "unsupported_body",
    ),
    "octets elsewhere": (
        create(HOST, TOKEN, ("Content-Type", "application/octet-stream")),
        415,
        "unsupported_body",
    ),
    "json as an attachment": (
        row("PUT", "/api/sessions/s/attachments/a", HOST, TOKEN, JSON, body=TITLE),
        415,
        "unsupported_body",
    ),
    "preflight": (
        row(
            "OPTIONS",
            "/api/sessions",
            HOST,
            ("Origin", "https://evil.example"),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Private-Network", "true"),
        ),
        403,
        "foreign_origin",
    ),
    "double slash": (row("GET", "//api/sessions", HOST), 401, "credential_missing"),
    "dot segments": (row("GET", "/api/health/../sessions", HOST), 401, "credential_missing"),
    "dots from a page path": (
        row("GET", "/assets/../api/sessions", HOST),
        401,
        "credential_missing",
    ),
    "escaped letters": (row("GET", "/%61pi/sessions", HOST), 401, "credential_missing"),
    "capital letters": (row("GET", "/API/sessions", HOST), 401, "credential_missing"),
    "trailing slash": (row("GET", "/api/health/", HOST), 401, "credential_missing"),
    "escaped NUL": (row("GET", "/api/sessions%00", HOST), 401, "credential_missing"),
    "backslash": (row("GET", "/x\\..\\api/sessions", HOST, TOKEN), 400, "malformed_request"),
    "token in the query": (
        row("GET", "/api/sessions?token={token}&access_token={token}", HOST),
        401,
        "credential_missing",
    ),
    "token in a cookie": (
        read(HOST, ("Cookie", "token={token}; session={token}")),
        401,
        "credential_missing",
    ),
    "wrong token": (
        read(HOST, ("Authorization", "Bearer nope")),
        401,
        "credential_invalid",
    ),
    "token of another scheme": (
        read(HOST, ("Authorization", "Basic {token}")),
        401,
        "credential_invalid",
    ),
    "token with a tail": (
        read(HOST, ("Authorization", "Bearer {token} x")),
        401,
        "credential_invalid",
    ),
    "empty token": (read(HOST, ("Authorization", "Bearer ")), 401, "credential_invalid"),
    "token that is not ascii": (
        read(HOST, ("Authorization", "Bearer \xe9")),
        401,
        "credential_invalid",
    ),
    "huge token": (
        read(HOST, ("Authorization", "Bearer " + "x" * 10_000)),
        401,
        "credential_invalid",
    ),
    "ticket as a bearer": (
        read(HOST, ("Authorization", "Bearer ticket.{token}")),
        401,
        "credential_invalid",
    ),
    "a proxy's word": (
        read(HOST, ("X-Forwarded-For", "127.0.0.1"), ("Forwarded", "for=127.0.0.1")),
        401,
        "credential_missing",
    ),
    "unknown path": (row("GET", "/api/none", HOST), 401, "credential_missing"),
    "openapi": (row("GET", "/api/openapi.json", HOST), 401, "credential_missing"),
    "head of health": (row("HEAD", "/api/health", HOST), 401, ""),
    "options": (row("OPTIONS", "/api/sessions", HOST), 401, "credential_missing"),
    "post to the page": (row("POST", "/", HOST, JSON, body=TITLE), 401, "credential_missing"),
    "form to the page": (row("POST", "/", HOST, FORM, body=b"a=b"), 415, "unsupported_body"),
    "body for the page": (row("GET", "/", HOST, JSON, body=TITLE), 413, "body_too_large"),
    "page file for a neighbour": (
        row("GET", "/assets/app-1a2b.js", HOST, *fetched("same-site", "no-cors", "script")),
        403,
        "foreign_site",
    ),
    "page in an object element": (
        row("GET", "/", HOST, *fetched("same-site", "navigate", "object")),
        403,
        "foreign_site",
    ),
    "page file with a foreign origin": (
        row("GET", "/assets/app-1a2b.js", HOST, NEIGHBOUR),
        403,
        "foreign_origin",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_request_that_may_not_speak_is_refused_before_routing(
    site: GuardedSite, name: str
) -> None:
    asked, status, code = REFUSED[name]
    before = site.guard.refusals.total()
    answer = ask(site, asked)
    assert (answer.status, answer.code) == (status, code)
    assert site.calls == []
    assert site.guard.refusals.total() == before + 1


@pytest.mark.parametrize("name", REFUSED)
def test_no_refusal_lets_another_origin_read_it(site: GuardedSite, name: str) -> None:
    headers = ask(site, REFUSED[name][0]).headers
    assert not [each for each in headers if each.startswith("access-control-")]
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["x-content-type-options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "server" not in headers


ADMITTED: dict[str, tuple[Row, int]] = {
    "health": (row("GET", "/api/health", HOST), 200),
    "proof": (
        row("POST", "/api/auth/prove", HOST, JSON, body=b'{"nonce": "0123456789abcdef"}'),
        200,
    ),
    "program": (read(HOST, TOKEN), 200),
    "program with a lower-case scheme": (
        read(HOST, ("Authorization", "bearer {token}")),
        200,
    ),
    "own page reads": (read(HOST, TOKEN, *fetched("same-origin")), 200),
    "own page writes": (
        create(HOST, TOKEN, JSON, OWN, *fetched("same-origin")),
        201,
    ),
    "json with a charset": (
        create(HOST, TOKEN, ("Content-Type", 'application/json; charset="UTF-8"')),
        201,
    ),
    "typed address": (
        row("GET", "/api/health", HOST, *fetched("none", "navigate", "document")),
        200,
    ),
    "post without a body": (row("POST", "/api/rules", HOST, TOKEN), 200),
    "attachment": (
        row(
            "PUT",
            "/api/sessions/s/attachments/a",
            HOST,
            TOKEN,
            ("Content-Type", "application/octet-stream"),
            body=b"\x00" * 5_000_000,
        ),
        200,
    ),
    "page": (row("GET", "/", HOST), 200),
    "page from a foreign site": (
        row("GET", "/", HOST, *fetched("cross-site", "navigate", "document")),
        200,
    ),
    "page in the hub's iframe": (
        row("GET", "/", HOST, *fetched("same-site", "navigate", "iframe")),
        200,
    ),
    "module script of the page": (
        row("GET", "/assets/app-1a2b.js", HOST, OWN, *fetched("same-origin")),
        200,
    ),
    "unknown page file": (row("GET", "/nothing.js", HOST), 404),
    "unknown route with a credential": (row("GET", "/api/none", HOST, TOKEN), 404),
    "wrong method with a credential": (row("DELETE", "/api/sessions", HOST, TOKEN), 405),
    "odd path with a credential": (row("GET", "//api/sessions", HOST, TOKEN), 404),
    "write to the page with a credential": (row("POST", "/", HOST, TOKEN, JSON, body=TITLE), 405),
    "unknown field": (create(HOST, TOKEN, JSON, body=b'{"title": "a", "mode": "yolo"}'), 422),
    "no object": (create(HOST, TOKEN, JSON, body=b"[]"), 422),
    "broken json": (create(HOST, TOKEN, JSON, body=b'{"title":'), 422),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_a_request_that_may_speak_reaches_the_routes(site: GuardedSite, name: str) -> None:
    asked, status = ADMITTED[name]
    answer = ask(site, asked)
    assert answer.status == status
    assert not [each for each in answer.headers if each.startswith("access-control-")]


def test_localhost_gets_a_plain_page_that_links_to_the_address(site: GuardedSite) -> None:
    answer = send(site.port, "GET", "/", [("Host", f"localhost:{site.port}")])
    assert answer.status == 421
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert f'href="{site.base_url}/"'.encode() in answer.body


def test_a_host_that_is_not_ours_is_named_before_a_foreign_origin(site: GuardedSite) -> None:
    headers = [("Host", "evil.example"), ("Origin", "http://evil.example"), FORM]
    assert send(site.port, "POST", "/api/sessions", headers, b"x").status == 421


def test_a_session_key_holds_only_its_scopes(site: GuardedSite) -> None:
    key = site.credentials.new_session_key({"read"})
    headers = [*fill(site, HOST), ("Authorization", f"Bearer {key}")]
    assert send(site.port, "GET", "/api/sessions", headers).status == 200
    refused = send(site.port, "POST", "/api/sessions", [*headers, JSON], TITLE)
    assert (refused.status, refused.code) == (403, "missing_scope")
    assert site.calls == ["read"]


def test_a_scope_is_missed_before_the_body_is_validated(site: GuardedSite) -> None:
    key = site.credentials.new_session_key({"read"})
    headers = [*fill(site, HOST, JSON), ("Authorization", f"Bearer {key}")]
    assert send(site.port, "POST", "/api/sessions", headers, b'{"nonsense": 1}').status == 403


def test_a_route_that_breaks_answers_with_a_problem(site: GuardedSite) -> None:
    answer = ask(site, row("GET", "/api/breaks", HOST, TOKEN))
    assert (answer.status, answer.code) == (500, "internal")
    assert b"ZeroDivision" not in answer.body


def test_the_page_serves_while_nothing_is_built(tmp_path: Path) -> None:
    with guarded_site(tmp_path / "nothing") as bare:
        answer = send(bare.port, "GET", "/", fill(bare, HOST))
    assert answer.status == 200
    assert b"not built" in answer.body
