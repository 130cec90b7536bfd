"""Every error as problem JSON (RFC 9457), for routes, validation, the router and bugs.

Bodies are written as pure ASCII: a client may have sent lone surrogates in a name that the
answer repeats, and those have no UTF-8.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket

from lararium_daemon.protocol.problems import LarariumError

PROBLEM_TYPE = "application/problem+json"
_CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed"}
MAX_FIELDS = 32
MAX_FIELD_CHARS = 200


def problem_body(status: int, code: str, detail: str, **extra: object) -> bytes:
    """Write a problem; `extra` members must be JSON values."""
    content = {
        "type": "about:blank",
        "title": _title(status),
        "status": status,
        "code": code,
        "detail": detail,
        **extra,
    }
    return json.dumps(content, ensure_ascii=True).encode("ascii")


def problem_response(
    status: int,
    code: str,
    detail: str,
    headers: Mapping[str, str] | None = None,
    **extra: object,
) -> Response:
    """Give the answer that carries a problem."""
    body = problem_body(status, code, detail, **extra)
    return Response(body, status, headers=headers, media_type=PROBLEM_TYPE)


def install_problem_handlers(app: FastAPI) -> None:
    """Make the app answer every error as a problem, on HTTP and on a WebSocket handshake."""
    app.exception_handler(LarariumError)(_on_lararium_error)
    app.exception_handler(RequestValidationError)(_on_invalid_input)
    app.exception_handler(HTTPException)(_on_http_exception)
    app.exception_handler(ClientDisconnect)(_on_gone)
    app.exception_handler(Exception)(_on_bug)
    app.router.default = _on_unknown_path


def _title(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


async def _answer(connection: HTTPConnection, response: Response) -> Response:
    # Starlette ignores what a handler returns for a WebSocket: the answer is sent from here.
    if isinstance(connection, WebSocket):
        await connection.send_denial_response(response)
    return response


async def _on_unknown_path(scope: Scope, receive: Receive, send: Send) -> None:
    # Starlette's own closes a handshake without a word, which reaches the client as a bare 403.
    error = HTTPException(404)
    if scope["type"] != "websocket":
        raise error
    await _on_http_exception(WebSocket(scope, receive, send), error)


async def _on_lararium_error(connection: HTTPConnection, error: LarariumError) -> Response:
    wait = error.retry_after_seconds
    headers = None if wait is None else {"Retry-After": str(wait)}
    response = problem_response(error.status, error.code, error.detail, headers)
    return await _answer(connection, response)


async def _on_http_exception(connection: HTTPConnection, error: HTTPException) -> Response:
    code = _CODES.get(error.status_code) or _title(error.status_code).lower().replace(" ", "_")
    response = problem_response(error.status_code, code, error.detail, error.headers)
    return await _answer(connection, response)


async def _on_invalid_input(connection: HTTPConnection, error: RequestValidationError) -> Response:
    fields = [
        {
            "field": ".".join(str(part) for part in item["loc"])[:MAX_FIELD_CHARS],
            "problem": str(item["msg"])[:MAX_FIELD_CHARS],
        }
        for item in error.errors()[:MAX_FIELDS]
    ]
    first = f"{fields[0]['field']}: {fields[0]['problem']}" if fields else "no field was named"
    detail = f"The request does not fit this route ({first})."
    return await _answer(connection, problem_response(422, "invalid_input", detail, fields=fields))


async def _on_gone(connection: HTTPConnection, error: ClientDisconnect) -> Response:
    # Nobody reads this answer; it keeps a client that left in the middle from looking like a bug.
    del connection, error
    return problem_response(400, "malformed_request", "The body was cut off.")


async def _on_bug(connection: HTTPConnection, error: Exception) -> Response:
    # The server logs the exception itself, once, when it has passed through here.
    del error
    detail = "Something in the server broke; its log has the details. Nothing saved is lost."
    return await _answer(connection, problem_response(500, "internal", detail))
