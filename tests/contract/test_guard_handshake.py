"""Tickets, session keys and the WebSocket handshake, over a real socket."""

import json
from collections.abc import Iterator

import pytest
from tests.fakes.guard_rows import (
    HANDSHAKE,
    HOST,
    JSON,
    NEIGHBOUR,
    OWN,
    TITLE,
    TOKEN,
    Header,
    ask,
    built_site,
    fetched,
    fill,
    row,
)
from tests.fakes.guarded_site import GuardedSite
from tests.fakes.raw_http import Answer, head, send, send_bytes
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedSite]:
    with built_site(tmp_path_factory.mktemp("static")) as running:
        yield running


@pytest.fixture(autouse=True)
def forget_calls(site: GuardedSite) -> None:
    site.calls.clear()


def shake_hands(site: GuardedSite, headers: list[Header]) -> Answer:
    request = head("GET", "/api/events", fill(site, *headers, *HANDSHAKE))
    return send_bytes(site.port, request)


HANDSHAKES: dict[str, tuple[list[Header], int, str]] = {
    "no credential": ([HOST], 401, "credential_missing"),
    "own page without a ticket": ([HOST, OWN], 401, "credential_missing"),
    "foreign origin": (
        [HOST, TOKEN, ("Origin", "https://evil.example")],
        403,
        "foreign_origin",
    ),
    "neighbour origin": (
        [HOST, TOKEN, NEIGHBOUR],
        403,
        "foreign_origin",
    ),
    "null origin": ([HOST, TOKEN, ("Origin", "null")], 403, "foreign_origin"),
    "rebound host": (
        [("Host", "evil.example:{port}"), TOKEN, ("Origin", "http://evil.example:{port}")],
        421,
        "wrong_host",
    ),
    "same-site browser that names its site": (
        [HOST, OWN, ("Sec-Fetch-Site", "same-site")],
        403,
        "foreign_site",
    ),
    "wrong token": ([HOST, ("Authorization", "Bearer no")], 401, "credential_invalid"),
    "wrong ticket": (
        [HOST, OWN, ("Sec-WebSocket-Protocol", "lar.v1, ticket.no")],
        401,
        "credential_invalid",
    ),
    "token as a ticket": (
        [HOST, OWN, ("Sec-WebSocket-Protocol", "lar.v1, ticket.{token}")],
        401,
        "credential_invalid",
    ),
}


@pytest.mark.parametrize("name", HANDSHAKES)
def test_a_handshake_that_may_not_speak_gets_no_websocket(site: GuardedSite, name: str) -> None:
    headers, status, code = HANDSHAKES[name]
    answer = shake_hands(site, headers)
    assert (answer.status, answer.code) == (status, code)
    assert site.calls == []


def test_a_token_opens_a_websocket_for_a_program(site: GuardedSite) -> None:
    headers = {"Authorization": f"Bearer {site.token}"}
    url = f"ws://127.0.0.1:{site.port}/api/events"
    with connect(url, additional_headers=headers, proxy=None) as socket:
        hello = json.loads(socket.recv(timeout=5))
    assert hello == {"scopes": ["admin", "approve", "prompt", "read"], "offered": []}


def test_a_ticket_opens_one_websocket_and_is_not_repeated(site: GuardedSite) -> None:
    ticket = site.credentials.mint_ticket("ws", scopes={"read"})
    offered = [Subprotocol("lar.v1"), Subprotocol(f"ticket.{ticket}")]
    url = f"ws://127.0.0.1:{site.port}/api/events"
    origin = Origin(site.base_url)
    with connect(url, subprotocols=offered, origin=origin, proxy=None) as socket:
        hello = json.loads(socket.recv(timeout=5))
        assert socket.subprotocol == "lar.v1"
    assert hello == {"scopes": ["read"], "offered": ["lar.v1"]}
    with (
        pytest.raises(InvalidStatus) as refused,
        connect(url, subprotocols=offered, origin=origin, proxy=None),
    ):
        pass
    assert refused.value.response.status_code == 401


def test_a_ticket_for_a_page_opens_no_websocket(site: GuardedSite) -> None:
    ticket = site.credentials.mint_ticket("ui")
    answer = shake_hands(site, [HOST, OWN, ("Sec-WebSocket-Protocol", f"ticket.{ticket}")])
    assert answer.status == 401


def test_a_page_trades_its_ticket_once_and_then_acts(site: GuardedSite) -> None:
    minted = ask(
        site, row("POST", "/api/auth/tickets", HOST, TOKEN, JSON, body=b'{"purpose": "ui"}')
    )
    assert minted.status == 201
    body = json.dumps({"ticket": minted.json["ticket"]}).encode()
    page = fill(site, HOST, OWN, JSON, *fetched("same-origin"))
    traded = send(site.port, "POST", "/api/auth/exchange", page, body)
    assert traded.json["scopes"] == ["admin", "approve", "prompt", "read"]
    key = ("Authorization", f"Bearer {traded.json['session_key']}")
    assert send(site.port, "POST", "/api/sessions", [*page, key], TITLE).status == 201
    again = send(site.port, "POST", "/api/auth/exchange", page, body)
    assert (again.status, again.code) == (401, "ticket_invalid")
