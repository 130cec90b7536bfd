"""The words in which the guard's tests write requests; `{port}` and `{token}` are filled in."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.guarded_site import GuardedSite, guarded_site
from tests.fakes.raw_http import Answer, send

Header = tuple[str, str]

HOST: Header = ("Host", "127.0.0.1:{port}")
TOKEN: Header = ("Authorization", "Bearer {token}")
JSON: Header = ("Content-Type", "application/json")
FORM: Header = ("Content-Type", "application/x-www-form-urlencoded")
OWN: Header = ("Origin", "http://127.0.0.1:{port}")
NEIGHBOUR: Header = ("Origin", "http://127.0.0.1:3000")
HANDSHAKE: list[Header] = [
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
]
TITLE = b'{"title": "one"}'


@dataclass(frozen=True)
class Row:
    method: str
    path: str
    headers: list[Header]
    body: bytes = b""


def row(method: str, path: str, *headers: Header, body: bytes = b"") -> Row:
    return Row(method, path, list(headers), body)


def read(*headers: Header) -> Row:
    return row("GET", "/api/sessions", *headers)


def create(*headers: Header, body: bytes = TITLE) -> Row:
    return row("POST", "/api/sessions", *headers, body=body)


def fetched(site: str, mode: str = "cors", dest: str = "empty") -> list[Header]:
    """The headers by which a browser says where a request comes from."""
    return [("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", dest)]


def fill(site: GuardedSite, *headers: Header) -> list[Header]:
    return [(name, value.format(port=site.port, token=site.token)) for name, value in headers]


def ask(site: GuardedSite, asked: Row) -> Answer:
    path = asked.path.format(token=site.token)
    return send(site.port, asked.method, path, fill(site, *asked.headers), asked.body)


@contextmanager
def built_site(static: Path) -> Generator[GuardedSite]:
    """A guarded site with a page of two files."""
    (static / "assets").mkdir()
    (static / "index.html").write_text("<!doctype html><title>page</title>", encoding="utf-8")
    (static / "assets" / "app-1a2b.js").write_text("export {};", encoding="utf-8")
    with guarded_site(static) as running:
        yield running
