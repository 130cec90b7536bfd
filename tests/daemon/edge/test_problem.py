"""Errors become problem JSON whatever the client sent."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, WebSocket
from starlette.exceptions import HTTPException

from lararium_daemon.edge.problem import install_problem_handlers, problem_response
from lararium_daemon.protocol.api import Input
from lararium_daemon.protocol.problems import LarariumError

pytestmark = pytest.mark.anyio


class Named(Input):
    name: str


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    app = FastAPI()
    install_problem_handlers(app)

    @app.post("/named")
    async def named(given: Named) -> Named:
        return given

    @app.get("/gone")
    async def gone() -> None:
        raise LarariumError("session_gone", "The session was deleted.", 410)

    @app.get("/odd")
    async def odd() -> None:
        raise HTTPException(418, "teapot")

    _ = (named, gone, odd)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        yield client


async def problem_of(client: httpx.AsyncClient, method: str, path: str, body: bytes) -> Any:
    headers = {"Content-Type": "application/json"}
    response = await client.request(method, path, content=body, headers=headers)
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == response.status_code
    return problem


async def test_an_error_of_ours_keeps_its_code_status_and_sentence(
    client: httpx.AsyncClient,
) -> None:
    assert await problem_of(client, "GET", "/gone", b"") == {
        "type": "about:blank",
        "title": "Gone",
        "status": 410,
        "code": "session_gone",
        "detail": "The session was deleted.",
    }


async def test_a_field_that_does_not_fit_is_named(client: httpx.AsyncClient) -> None:
    problem = await problem_of(client, "POST", "/named", b'{"name": 1}')
    assert (problem["status"], problem["code"]) == (422, "invalid_input")
    assert problem["fields"] == [
        {"field": "body.name", "problem": "Input should be a valid string"}
    ]


async def test_what_was_sent_is_not_repeated(client: httpx.AsyncClient) -> None:
    problem = await problem_of(client, "POST", "/named", b'{"name": ["sk-secret"]}')
    assert "sk-secret" not in json.dumps(problem)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"[]", 422),
        (b"null", 422),
        (b'"text"', 422),
        (b'{"name":', 422),
        (b'{"name": "a", "\\ud800": 1}', 422),
        (b'{"name": "\xff"}', 400),
        (b"[" * 100_000, 400),
        (b'{"name": ' + b"[" * 700 + b"]" * 700 + b"}", 422),
        (b'{"name": ' + b"9" * 5000 + b"}", 400),
    ],
    ids=["list", "null", "text", "cut", "odd key", "bytes", "deep", "less deep", "long number"],
)
async def test_no_body_is_too_odd_for_an_answer(
    client: httpx.AsyncClient, body: bytes, status: int
) -> None:
    assert (await problem_of(client, "POST", "/named", body))["status"] == status


async def test_half_a_surrogate_pair_is_replaced_not_refused(client: httpx.AsyncClient) -> None:
    headers = {"Content-Type": "application/json"}
    sent = b'{"name": "a\\ud83d"}'
    response = await client.post("/named", content=sent, headers=headers)
    assert response.json() == {"name": "a\ufffd"}


@pytest.mark.parametrize(
    ("method", "path", "code"),
    [("GET", "/none", "not_found"), ("DELETE", "/gone", "method_not_allowed")],
)
async def test_the_router_s_own_errors_are_problems_too(
    client: httpx.AsyncClient, method: str, path: str, code: str
) -> None:
    assert (await problem_of(client, method, path, b""))["code"] == code


async def test_another_status_is_named_by_its_phrase(client: httpx.AsyncClient) -> None:
    assert (await problem_of(client, "GET", "/odd", b""))["code"] == "i'm_a_teapot"


async def test_a_handshake_that_fails_gets_the_problem_too() -> None:
    app = FastAPI()
    install_problem_handlers(app)

    @app.websocket("/events")
    async def events(socket: WebSocket) -> None:
        raise LarariumError("session_gone", "The session was deleted.", 410)

    _ = events
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope: dict[str, Any] = {
        "type": "websocket",
        "path": "/events",
        "headers": [],
        "query_string": b"",
        "extensions": {"websocket.http.response": {}},
    }
    await app(scope, receive, send)
    assert sent[0]["status"] == 410
    assert json.loads(sent[1]["body"])["code"] == "session_gone"


async def test_an_unknown_status_still_has_a_title() -> None:
    assert b'"title": "Error"' in bytes(problem_response(599, "odd", "Odd.").body)
