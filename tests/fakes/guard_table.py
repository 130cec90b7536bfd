"""The table of who may speak: rows as data, the same for daemon and hub.

A row says what is sent, and what is answered where everybody needs a credential and where this
user's programs need none. All of it concerns paths that both servers have.
"""

from dataclasses import dataclass, field

from tests.fakes.guard_rows import (
    FORM,
    HANDSHAKE,
    HOST,
    JSON,
    NEIGHBOUR,
    OWN,
    TOKEN,
    Header,
    fetched,
)

Outcome = tuple[int, str]
"""Status and code; a code is "" where the answer is no problem, or has no body to say it."""

TICKET_WANTED = b'{"purpose": "ui"}'
NONCE = b'{"nonce": "0123456789abcdef"}'
EVIL: Header = ("Origin", "https://evil.example")
OK: Outcome = (200, "")
MADE: Outcome = (201, "")
OPENED: Outcome = (101, "")
MALFORMED: Outcome = (400, "malformed_request")
ELSEWHERE: Outcome = (421, "wrong_host")
FOREIGN_ORIGIN: Outcome = (403, "foreign_origin")
FOREIGN_SITE: Outcome = (403, "foreign_site")
UNSUPPORTED: Outcome = (415, "unsupported_body")
MISSING: Outcome = (401, "credential_missing")
INVALID: Outcome = (401, "credential_invalid")


@dataclass(frozen=True)
class TableRow:
    asked: Outcome
    """Where everybody needs a credential."""
    headers: list[Header]
    method: str = "GET"
    path: str = "/api/status"
    body: bytes = b""
    trusted: Outcome | None = None
    """Where this user's programs need none; None = the same."""
    handshake: bool = field(default=False)

    def outcome(self, mode: str) -> Outcome:
        if mode == "trust-same-user" and self.trusted is not None:
            return self.trusted
        return self.asked


def get(asked: Outcome, *headers: Header, trusted: Outcome | None = None) -> TableRow:
    return TableRow(asked, list(headers), trusted=trusted)


def at(
    method: str, path: str, asked: Outcome, *headers: Header, trusted: Outcome | None = None
) -> TableRow:
    return TableRow(asked, list(headers), method, path, trusted=trusted)


def post(
    asked: Outcome,
    *headers: Header,
    body: bytes = TICKET_WANTED,
    path: str = "/api/auth/tickets",
    trusted: Outcome | None = None,
) -> TableRow:
    return TableRow(asked, list(headers), "POST", path, body, trusted)


def shake(
    asked: Outcome,
    *headers: Header,
    path: str = "/api/events",
    trusted: Outcome | None = None,
) -> TableRow:
    return TableRow(asked, [*headers, *HANDSHAKE], path=path, trusted=trusted, handshake=True)


def offered(*protocols: str) -> Header:
    return ("Sec-WebSocket-Protocol", ", ".join(protocols))


def bearer(secret: str) -> Header:
    return ("Authorization", f"Bearer {secret}")


WITHOUT_CREDENTIAL: dict[str, TableRow] = {
    "read": get(MISSING, HOST, trusted=OK),
    "read by curl": get(MISSING, HOST, ("User-Agent", "curl/8.5.0"), trusted=OK),
    "write": post(MISSING, HOST, JSON, trusted=MADE),
    "write what is not valid": post(
        MISSING, HOST, JSON, body=b"{}", trusted=(422, "invalid_input")
    ),
    "unknown path": at("GET", "/api/none", MISSING, HOST, trusted=(404, "not_found")),
    "description": at("GET", "/api/openapi.json", MISSING, HOST, trusted=OK),
    "foreign docs": at("GET", "/api/docs", MISSING, HOST, trusted=(404, "not_found")),
    "head of health": at("HEAD", "/api/health", (401, ""), HOST, trusted=(405, "")),
    "options": at("OPTIONS", "/api/status", MISSING, HOST, trusted=(405, "method_not_allowed")),
    "double slash": at("GET", "//api/status", MISSING, HOST, trusted=(404, "not_found")),
    "dot segments": at("GET", "/api/health/../status", MISSING, HOST, trusted=(404, "not_found")),
    "escaped letters": at("GET", "/%61pi/status", MISSING, HOST, trusted=OK),
    "capital letters": at("GET", "/API/status", MISSING, HOST, trusted=(404, "not_found")),
    "escaped NUL": at("GET", "/api/status%00", MISSING, HOST, trusted=(404, "not_found")),
    "token in the query": at("GET", "/api/status?token={token}", MISSING, HOST, trusted=OK),
    "write to the page": post(MISSING, HOST, JSON, path="/", trusted=(405, "method_not_allowed")),
    "token in a cookie": get(MISSING, HOST, ("Cookie", "token={token}")),
    "own page": get(MISSING, HOST, OWN, *fetched("same-origin")),
    "own page without site": get(MISSING, HOST, OWN),
    "typed address": get(MISSING, HOST, *fetched("none", "navigate", "document")),
    "old browser": get(MISSING, HOST, ("User-Agent", "Mozilla/5.0 (X11; Linux x86_64)")),
    "old browser with a referer": get(MISSING, HOST, ("Referer", "http://127.0.0.1:{port}/")),
    "client hints": get(MISSING, HOST, ("Sec-CH-UA", '"Chromium"')),
    "forwarded for": get(MISSING, HOST, ("X-Forwarded-For", "127.0.0.1")),
    "forwarded proto": get(MISSING, HOST, ("X-Forwarded-Proto", "https")),
    "forwarded": get(MISSING, HOST, ("Forwarded", "for=127.0.0.1")),
    "via": get(MISSING, HOST, ("Via", "1.1 proxy")),
    "real address": get(MISSING, HOST, ("X-Real-IP", "127.0.0.1")),
}

WRONG_CREDENTIAL: dict[str, TableRow] = {
    "wrong": get(INVALID, HOST, bearer("nope")),
    "empty": get(INVALID, HOST, ("Authorization", "Bearer ")),
    "other scheme": get(INVALID, HOST, ("Authorization", "Basic {token}")),
    "with a tail": get(INVALID, HOST, bearer("{token} x")),
    "not ascii": get(INVALID, HOST, bearer("\xe9")),
    "huge": get(INVALID, HOST, bearer("x" * 10_000)),
    "as a ticket": get(INVALID, HOST, bearer("ticket.{token}")),
}

WITH_TOKEN: dict[str, TableRow] = {
    "read": get(OK, HOST, TOKEN),
    "lower-case scheme": get(OK, HOST, ("Authorization", "bearer {token}")),
    "write": post(MADE, HOST, TOKEN, JSON),
    "own page reads": get(OK, HOST, TOKEN, *fetched("same-origin")),
    "own page writes": post(MADE, HOST, TOKEN, JSON, OWN, *fetched("same-origin")),
    "behind a proxy": get(OK, HOST, TOKEN, ("X-Forwarded-For", "10.0.0.1")),
    "unknown path": at("GET", "/api/none", (404, "not_found"), HOST, TOKEN),
    "wrong method": at("DELETE", "/api/status", (405, "method_not_allowed"), HOST, TOKEN),
    "unknown field": post(
        (422, "invalid_input"), HOST, TOKEN, JSON, body=b'{"purpose": "ui", "scopes": ["admin"]}'
    ),
    "no object": post((422, "invalid_input"), HOST, TOKEN, JSON, body=b"[]"),
    "broken json": post((422, "invalid_input"), HOST, TOKEN, JSON, body=b'{"purpose":'),
    "rebound host": get(ELSEWHERE, ("Host", "evil.example:{port}"), TOKEN),
    "host without port": get(ELSEWHERE, ("Host", "127.0.0.1"), TOKEN),
    "host with a suffix": get(ELSEWHERE, ("Host", "127.0.0.1.evil.example:{port}"), TOKEN),
    "wildcard host": get(ELSEWHERE, ("Host", "0.0.0.0:{port}"), TOKEN),
    "other port": get(ELSEWHERE, ("Host", "127.0.0.1:1"), TOKEN),
    "ipv6 host": get(ELSEWHERE, ("Host", "[::1]:{port}"), TOKEN),
    "host with a dot": get(ELSEWHERE, ("Host", "127.0.0.1.:{port}"), TOKEN),
    "localhost by name": get((421, ""), ("Host", "localhost:{port}"), TOKEN),
    "no host": get(MALFORMED, TOKEN),
    "two hosts": get(MALFORMED, HOST, HOST, TOKEN),
    "two origins": get(MALFORMED, HOST, OWN, OWN, TOKEN),
    "two credentials": get(MALFORMED, HOST, TOKEN, TOKEN),
    "backslash": at("GET", "/x\\..\\api/status", MALFORMED, HOST, TOKEN),
    "foreign origin": post(FOREIGN_ORIGIN, HOST, TOKEN, JSON, EVIL),
    "null origin": post(FOREIGN_ORIGIN, HOST, TOKEN, JSON, ("Origin", "null")),
    "neighbour origin": post(FOREIGN_ORIGIN, HOST, TOKEN, JSON, NEIGHBOUR),
    "own origin by another name": post(
        FOREIGN_ORIGIN, HOST, TOKEN, JSON, ("Origin", "http://localhost:{port}")
    ),
    "own origin as https": post(
        FOREIGN_ORIGIN, HOST, TOKEN, JSON, ("Origin", "https://127.0.0.1:{port}")
    ),
    "same-site read": get(FOREIGN_SITE, HOST, TOKEN, *fetched("same-site")),
    "cross-site read": get(FOREIGN_SITE, HOST, TOKEN, *fetched("cross-site")),
    "cross-site navigation": get(
        FOREIGN_SITE, HOST, TOKEN, *fetched("cross-site", "navigate", "document")
    ),
    "text body": post(UNSUPPORTED, HOST, TOKEN, ("Content-Type", "text/plain")),
    "form body": post(UNSUPPORTED, HOST, TOKEN, FORM, body=b"purpose=ui"),
    "multipart body": post(
        UNSUPPORTED, HOST, TOKEN, ("Content-Type", "multipart/form-data; boundary=x"), body=b"--x"
    ),
    "untyped body": post(UNSUPPORTED, HOST, TOKEN),
    "other charset": post(
        UNSUPPORTED, HOST, TOKEN, ("Content-Type", "application/json; charset=utf-16")
    ),
    "zipped body": post(UNSUPPORTED, HOST, TOKEN, JSON, ("Content-Encoding", "gzip")),
    "announced giant": get(
        (413, "body_too_large"), HOST, TOKEN, JSON, ("Content-Length", "1000000000000")
    ),
    "two lengths": get(
        MALFORMED, HOST, TOKEN, ("Content-Length", "5"), ("Transfer-Encoding", "chunked")
    ),
    "huge head": get((431, "head_too_large"), HOST, TOKEN, *[("A", "x" * 1000)] * 17),
    "many fields": get((431, "head_too_large"), HOST, TOKEN, *[("A", "x")] * 101),
}

FOREIGN_PAGE: dict[str, TableRow] = {
    "preflight": at(
        "OPTIONS",
        "/api/status",
        FOREIGN_ORIGIN,
        HOST,
        EVIL,
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Private-Network", "true"),
    ),
    "simple post": post(FOREIGN_ORIGIN, HOST, EVIL, ("Content-Type", "text/plain")),
    "form": post(FOREIGN_ORIGIN, HOST, ("Origin", "null"), FORM, body=b"a=b"),
    "image": get(FOREIGN_SITE, HOST, *fetched("same-site", "no-cors", "image")),
    "iframe of the API": get(FOREIGN_SITE, HOST, *fetched("same-site", "navigate", "iframe")),
    "navigation to the API": get(
        FOREIGN_SITE, HOST, *fetched("cross-site", "navigate", "document")
    ),
    "page file": at(
        "GET", "/assets/none.js", FOREIGN_SITE, HOST, *fetched("same-site", "no-cors", "script")
    ),
    "page file with an origin": at("GET", "/assets/none.js", FOREIGN_ORIGIN, HOST, NEIGHBOUR),
    "page in an object": at(
        "GET", "/", FOREIGN_SITE, HOST, *fetched("same-site", "no-cors", "object")
    ),
}

OPEN: dict[str, TableRow] = {
    "health": at("GET", "/api/health", OK, HOST),
    "health with a wrong token": at("GET", "/api/health", OK, HOST, bearer("nope")),
    "proof": post(OK, HOST, JSON, path="/api/auth/prove", body=NONCE),
    "proof with a short nonce": post(
        (422, "invalid_input"), HOST, JSON, path="/api/auth/prove", body=b'{"nonce": "short"}'
    ),
    "proof with a long nonce": post(
        (413, "body_too_large"), HOST, JSON, path="/api/auth/prove", body=b"x" * 5000
    ),
    "page": at("GET", "/", OK, HOST),
    "page from a foreign site": at(
        "GET", "/", OK, HOST, *fetched("cross-site", "navigate", "document")
    ),
    "page in an iframe": at("GET", "/", OK, HOST, *fetched("same-site", "navigate", "iframe")),
    "unknown page file": at("GET", "/nothing.js", (404, "not_found"), HOST),
    "body for the page": TableRow((413, "body_too_large"), [HOST, JSON], path="/", body=b"{}"),
}

HANDSHAKES: dict[str, TableRow] = {
    "no credential": shake(MISSING, HOST, trusted=OPENED),
    "no credential, unknown path": shake(MISSING, HOST, path="/api/x", trusted=(404, "not_found")),
    "own page without a ticket": shake(MISSING, HOST, OWN),
    "own page with a protocol": shake(MISSING, HOST, OWN, offered("lar.v1")),
    "browser without an origin": shake(MISSING, HOST, ("User-Agent", "Mozilla/5.0")),
    "a proxy's word": shake(MISSING, HOST, ("X-Forwarded-For", "127.0.0.1")),
    "token": shake(OPENED, HOST, TOKEN),
    "token and own origin": shake(OPENED, HOST, TOKEN, OWN),
    "token, unknown path": shake((404, "not_found"), HOST, TOKEN, path="/api/x"),
    "foreign origin": shake(FOREIGN_ORIGIN, HOST, TOKEN, EVIL),
    "neighbour origin": shake(FOREIGN_ORIGIN, HOST, TOKEN, NEIGHBOUR),
    "null origin": shake(FOREIGN_ORIGIN, HOST, TOKEN, ("Origin", "null")),
    "foreign origin without a token": shake(FOREIGN_ORIGIN, HOST, EVIL),
    "rebound host": shake(ELSEWHERE, ("Host", "evil.example:{port}"), TOKEN),
    "no host": shake(MALFORMED, TOKEN),
    "same-site browser": shake(FOREIGN_SITE, HOST, OWN, ("Sec-Fetch-Site", "same-site")),
    "wrong token": shake(INVALID, HOST, bearer("no")),
    "wrong ticket": shake(INVALID, HOST, OWN, offered("lar.v1", "ticket.no")),
    "wrong ticket of a program": shake(INVALID, HOST, offered("lar.v1", "ticket.no")),
    "two tickets": shake(INVALID, HOST, OWN, offered("ticket.a", "ticket.b")),
    "token as a ticket": shake(INVALID, HOST, OWN, offered("lar.v1", "ticket.{token}")),
    "token in the query": shake(MISSING, HOST, OWN, path="/api/events?token={token}"),
}

_PARTS = {
    "without credential": WITHOUT_CREDENTIAL,
    "wrong credential": WRONG_CREDENTIAL,
    "with the token": WITH_TOKEN,
    "foreign page": FOREIGN_PAGE,
    "open": OPEN,
    "handshake": HANDSHAKES,
}
TABLE = {f"{part}: {name}": row for part, rows in _PARTS.items() for name, row in rows.items()}
