"""Each route of daemon and hub, and each WebSocket, asks for the scope that its row says."""

import re
from typing import Any

import anyio
import httpx
import pytest
from starlette.types import Message
from starlette.types import Scope as AsgiScope
from tests.fakes.bare_apis import PORT, TOKEN_SCOPES, BareApi, bare_api
from tests.fakes.route_table import DAEMON, HUB

from lararium_daemon.protocol.api import Scope

pytestmark = pytest.mark.anyio

APIS = {"daemon": bare_api("daemon"), "hub": bare_api("hub")}
TABLES = {"daemon": DAEMON, "hub": HUB}
ROUTES = sorted((kind, *route) for kind, api in APIS.items() for route in api.routes)
CALLS = [each for each in ROUTES if each[1] != "WS"]
SOCKETS = [each for each in ROUTES if each[1] == "WS"]
OCTETS = ("put", "/api/sessions/{session_id}/attachments/{name}")
"""The one route whose body is not JSON."""


@pytest.mark.parametrize("kind", APIS)
def test_every_route_and_websocket_has_its_row(kind: str) -> None:
    api, table = APIS[kind], TABLES[kind]
    assert api.routes - set(table) == set(), "say in tests/fakes/route_table.py whom they serve"
    assert api.operations - set(table) == set()
    assert set(table) - api.routes == set()
    assert len(api.operations) >= 20
    assert ("WS", "/api/events") in api.routes


@pytest.mark.parametrize("kind", APIS)
def test_every_body_is_a_model_that_forbids_what_it_does_not_know(kind: str) -> None:
    described = APIS[kind].described
    bodies = {
        f"{method} {path}": operation["requestBody"]["content"]["application/json"]["schema"]
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
        if "requestBody" in operation and (method, path) != OCTETS
    }
    assert bodies
    schemas: dict[str, Any] = described["components"]["schemas"]
    lax = {
        route: schema
        for route, schema in bodies.items()
        if schemas.get(str(schema.get("$ref")).rpartition("/")[2], {}).get("additionalProperties")
        is not False
    }
    assert lax == {}


@pytest.mark.parametrize(("kind", "method", "path"), CALLS)
async def test_a_route_wants_its_scope_and_no_other(kind: str, method: str, path: str) -> None:
    api, needed = APIS[kind], TABLES[kind][method, path]
    without = await ask(api, method, path, None)
    if needed == "open":
        assert without not in {401, 403}
        return
    assert without == 401
    if needed == "any":
        assert await ask(api, method, path, frozenset()) not in {401, 403}
        return
    assert await ask(api, method, path, TOKEN_SCOPES - {needed}) == 403
    assert await ask(api, method, path, frozenset((needed,))) not in {401, 403}


@pytest.mark.parametrize(("kind", "method", "path"), SOCKETS)
async def test_a_websocket_wants_its_scope_and_no_other(kind: str, method: str, path: str) -> None:
    api, needed = APIS[kind], TABLES[kind][method, path]
    assert needed not in {"open", "any"}
    assert await shake_hands(api, path, None) == 401
    assert await shake_hands(api, path, frozenset(TOKEN_SCOPES - {needed})) == 403


async def ask(api: BareApi, method: str, path: str, scopes: frozenset[Scope] | None) -> int:
    """Give the status; 500 where the route was reached, as nothing is behind it."""
    transport = httpx.ASGITransport(api.site, raise_app_exceptions=False)
    body = None if method in {"GET", "HEAD", "DELETE"} else b"{}"
    headers = bearer(api, scopes) | ({"Content-Type": "application/json"} if body else {})
    async with httpx.AsyncClient(transport=transport) as client:
        answer = await client.request(method, address(path), headers=headers, content=body)
    return answer.status_code


async def shake_hands(api: BareApi, path: str, scopes: frozenset[Scope] | None) -> int:
    """Give the status of the refusal, 101 when there is none."""
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        said.append(message)

    headers = {"Host": f"127.0.0.1:{PORT}", **bearer(api, scopes)}
    asked: AsgiScope = {
        "type": "websocket",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "subprotocols": [],
        "extensions": {"websocket.http.response": {}},
    }
    with anyio.fail_after(5):
        await api.site(asked, receive, send)
    return int(said[0].get("status", 101))


def address(path: str) -> str:
    return f"http://127.0.0.1:{PORT}{re.sub(r'{[^}]+}', 'none', path)}"


def bearer(api: BareApi, scopes: frozenset[Scope] | None) -> dict[str, str]:
    key = None if scopes is None else api.credentials.new_session_key(scopes)
    return {"Authorization": f"Bearer {key}"} if key else {}
