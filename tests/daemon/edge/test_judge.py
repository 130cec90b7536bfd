"""The guard's decision on heads of any kind; the tables over sockets are in tests/contract."""

import posixpath
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lararium_daemon.edge.judge import (
    JSON_BYTES,
    OPEN_ROUTES,
    Allowed,
    GuardPolicy,
    Refusal,
    RequestFacts,
    judge,
)

POLICY = GuardPolicy(4321)
METHODS = st.sampled_from(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
PATHS = st.one_of(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=40).map("/".__add__),
    st.lists(
        st.sampled_from(["api", "API", "%61pi", "health", "..", ".", "", "auth", "x.js", "%2e%2e"]),
        max_size=6,
    ).map(lambda parts: "/" + "/".join(parts)),
)


def facts(method: str, path: str, **headers: str) -> RequestFacts:
    given = {"host": "127.0.0.1:4321"} | {k.replace("_", "-"): v for k, v in headers.items()}
    return RequestFacts("http", method, path, {name: (value,) for name, value in given.items()})


@given(METHODS, PATHS)
def test_nothing_but_the_open_routes_is_open(method: str, path: str) -> None:
    verdict = judge(facts(method, path), POLICY)
    if isinstance(verdict, Allowed) and verdict.access == "open":
        assert (method, path) in OPEN_ROUTES


@given(METHODS, PATHS)
def test_no_spelling_of_an_api_path_passes_for_the_page(method: str, path: str) -> None:
    verdict = judge(facts(method, path), POLICY)
    meant = posixpath.normpath("/" + unquote(unquote(path)).lstrip("/")).lower()
    if isinstance(verdict, Allowed) and verdict.access == "page":
        assert method in {"GET", "HEAD"}
        assert meant != "/api"
        assert not meant.startswith("/api/")


@given(METHODS, PATHS, st.text(max_size=30))
def test_a_foreign_origin_never_passes(method: str, path: str, origin: str) -> None:
    verdict = judge(facts(method, path, origin=origin), POLICY)
    assert isinstance(verdict, Refusal) or origin == POLICY.origin


@given(METHODS, PATHS, st.text(max_size=30))
def test_a_foreign_host_never_passes(method: str, path: str, host: str) -> None:
    verdict = judge(facts(method, path, host=host), POLICY)
    assert isinstance(verdict, Refusal) or host == POLICY.host


@given(st.sampled_from(["1", "99999999999999999999", "-1", "1e3", "\u0661", "", "0x10", "+1"]))
def test_an_announced_length_is_a_number_within_bounds(length: str) -> None:
    headers = {"content_type": "application/json", "content_length": length}
    verdict = judge(facts("POST", "/api/sessions", **headers), POLICY)
    assert isinstance(verdict, Allowed) == (length == "1")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil", "origin": "http://evil", "content_type": "text/plain"}, 421),
        ({"origin": "http://evil", "content_type": "text/plain"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": "text/plain", "content_length": str(JSON_BYTES + 1)}, 413),
        ({"host": "evil", "content_length": "x"}, 400),
    ],
)
def test_the_first_fault_in_order_decides(headers: dict[str, str], status: int) -> None:
    given = {"content_length": "5"} | headers
    verdict = judge(facts("POST", "/api/sessions", **given), POLICY)
    assert isinstance(verdict, Refusal)
    assert verdict.status == status


def test_a_websocket_needs_a_credential_on_every_path() -> None:
    for path in ("/", "/api/health", "/api/events"):
        head = RequestFacts("websocket", "GET", path, {"host": (POLICY.host,)})
        assert judge(head, POLICY) == Allowed("private", "none", 0)


def test_uploads_are_json_where_no_upload_route_exists() -> None:
    headers = {"content_type": "application/octet-stream", "content_length": "1"}
    verdict = judge(facts("PUT", "/api/sessions/s/attachments/a", **headers), POLICY)
    assert isinstance(verdict, Refusal)
    assert verdict.code == "unsupported_body"
