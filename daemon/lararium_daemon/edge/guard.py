"""Who may speak: one layer in front of every HTTP request and WebSocket handshake.

`judge.py` decides on the head; here the credential is checked, the body is read within its
bounds, refusals are answered, counted and logged with a stable reason, and every response gets
the security headers. Credentials are never taken from a query or a cookie, and no query is logged.
"""

import logging
from collections import Counter

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lararium_daemon.edge.body import drop_body, read_body, replay_body
from lararium_daemon.edge.callers import Callers
from lararium_daemon.edge.credentials import Credentials
from lararium_daemon.edge.headers import with_security_headers
from lararium_daemon.edge.judge import Allowed, GuardPolicy, Refusal, RequestFacts, judge
from lararium_daemon.edge.problem import PROBLEM_TYPE, problem_body
from lararium_daemon.edge.same_user import PeerCheck
from lararium_daemon.edge.scopes import grant_scopes

logger = logging.getLogger(__name__)

_LOGGED_PATH_CHARS = 200


class Guard:
    """The pure ASGI layer; the app behind it finds the caller's scopes on the request."""

    def __init__(
        self,
        app: ASGIApp,
        policy: GuardPolicy,
        credentials: Credentials,
        *,
        same_user: PeerCheck | None = None,
    ) -> None:
        """Stand in front of `app`; with `same_user` this user's programs need no credential."""
        self._app = app
        self._policy = policy
        self._callers = Callers(credentials, same_user)
        self.refusals: Counter[str] = Counter()
        """How many requests were refused, by reason."""
        self.admitted: Counter[str] = Counter()
        """How many were let through: "open", "page" and "private"."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through to the app, or answer it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        send = _with_headers(send)
        facts = _facts(scope)
        verdict = judge(facts, self._policy)
        if isinstance(verdict, Allowed):
            verdict = await self._check_credential(verdict, facts, scope)
        if isinstance(verdict, Allowed) and verdict.body == "json":
            body = await read_body(receive, verdict.max_body_bytes)
            if isinstance(body, Refusal):
                verdict = body
            else:
                receive = replay_body(body, receive)
        if isinstance(verdict, Refusal):
            await self._refuse(verdict, facts, receive, send)
            return
        self.admitted[verdict.access] += 1
        if verdict.access != "page":
            logger.debug("admitted %s %s", _verb(facts), _shown(facts.path))
        await self._app(scope, receive, send)

    async def _check_credential(
        self, allowed: Allowed, facts: RequestFacts, scope: Scope
    ) -> Allowed | Refusal:
        if allowed.access != "private":
            grant_scopes(scope, frozenset())
            return allowed
        caller = await self._callers.find(facts, scope)
        if isinstance(caller, Refusal):
            return caller
        grant_scopes(scope, caller.scopes, caller.name)
        return allowed

    async def _refuse(
        self, refusal: Refusal, facts: RequestFacts, receive: Receive, send: Send
    ) -> None:
        self.refusals[refusal.code] += 1
        logger.info("refused %s %s: %s", _verb(facts), _shown(facts.path), refusal.code)
        body, media_type = self._refusal_body(refusal, facts)
        headers = [
            (b"content-type", media_type.encode("ascii")),
            (b"content-length", str(len(body)).encode("ascii")),
        ]
        if refusal.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        if refusal.retry_after_seconds is not None:
            headers.append((b"retry-after", str(refusal.retry_after_seconds).encode("ascii")))
        if facts.kind == "websocket":
            await _send_response(send, "websocket.http.response", refusal.status, headers, body)
        elif _may_still_send(facts):
            # Answered from the head: the client may still be sending, so the whole answer goes
            # out first and the connection ends only after the rest was dropped.
            headers.append((b"connection", b"close"))
            await _send_response(send, "http.response", refusal.status, headers, body, more=True)
            await drop_body(receive)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
        else:
            await _send_response(send, "http.response", refusal.status, headers, body)

    def _refusal_body(self, refusal: Refusal, facts: RequestFacts) -> tuple[bytes, str]:
        names_localhost = facts.one("host") == f"localhost:{self._policy.port}"
        if refusal.status == 421 and names_localhost and facts.kind == "http":
            return _elsewhere_page(self._policy.origin), "text/html; charset=utf-8"
        return problem_body(refusal.status, refusal.code, refusal.detail), PROBLEM_TYPE


def _facts(scope: Scope) -> RequestFacts:
    headers: dict[str, tuple[str, ...]] = {}
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1").lower()
        headers[name] = (*headers.get(name, ()), raw_value.decode("latin-1").strip(" \t"))
    raw_path: bytes = scope["raw_path"]
    return RequestFacts(
        kind=scope["type"],
        method=scope.get("method", "GET"),
        path=raw_path.decode("latin-1"),
        headers=headers,
    )


def _may_still_send(facts: RequestFacts) -> bool:
    return "transfer-encoding" in facts.headers or facts.headers.get("content-length", ("0",)) != (
        "0",
    )


def _verb(facts: RequestFacts) -> str:
    return "WS" if facts.kind == "websocket" else facts.method


def _shown(path: str) -> str:
    return ascii(path[:_LOGGED_PATH_CHARS])[1:-1]


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] in {"http.response.start", "websocket.http.response.start"}:
            message["headers"] = with_security_headers(list(message.get("headers", [])))
        await send(message)

    return send_with_headers


async def _send_response(
    send: Send,
    prefix: str,
    status: int,
    headers: list[tuple[bytes, bytes]],
    body: bytes,
    *,
    more: bool = False,
) -> None:
    await send({"type": f"{prefix}.start", "status": status, "headers": headers})
    await send({"type": f"{prefix}.body", "body": body, "more_body": more})


def _elsewhere_page(origin: str) -> bytes:
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Lararium</title>'
        f'<p>Lararium answers at <a href="{origin}/">{origin}/</a> alone.</p></html>'
    ).encode("ascii")
