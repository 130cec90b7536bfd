"""A page on another loopback port tries everything a page can; nothing gets past the guard.

Such a page is the hard case: a project's own development server is same-site with the daemon.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.fakes.raw_http import send
from tests.fakes.real_daemon import real_daemon

pytestmark = pytest.mark.e2e

SECONDS = 20.0
GUARD = "lararium_daemon.edge.guard"
GUARD_LINE = re.compile(r"(refused|admitted) (\S+) (\S+?)(?:: (\w+))?$")
ATTACK = Path(__file__).with_name("foreign_page.js")


@dataclass(frozen=True)
class Attempt:
    """What the page does, and how the guard sees and names it."""

    name: str
    method: str
    path: str
    reason: str


ATTEMPTS = [
    Attempt("fetch", "GET", "/api/sessions/a1", "foreign_origin"),
    Attempt("fetchNoCors", "GET", "/api/sessions/a2", "foreign_site"),
    Attempt("fetchWithToken", "OPTIONS", "/api/sessions/a3", "foreign_origin"),
    Attempt("fetchWithCookies", "GET", "/api/sessions/a4", "foreign_origin"),
    Attempt("fetchHealth", "GET", "/api/health", "foreign_origin"),
    Attempt("xhr", "GET", "/api/sessions/a5", "foreign_origin"),
    Attempt("postText", "POST", "/api/sessions/a6/messages", "foreign_origin"),
    Attempt("postJson", "OPTIONS", "/api/sessions/a7/messages", "foreign_origin"),
    Attempt("postExchange", "POST", "/api/auth/exchange", "foreign_origin"),
    Attempt("beacon", "POST", "/api/sessions/a8/messages", "foreign_origin"),
    Attempt("form", "POST", "/api/sessions/a9/messages", "foreign_origin"),
    Attempt("formAsText", "POST", "/api/sessions/a10/messages", "foreign_origin"),
    Attempt("formGet", "GET", "/api/sessions/a11", "foreign_site"),
    Attempt("image", "GET", "/api/sessions/a12", "foreign_site"),
    Attempt("script", "GET", "/api/sessions/a13", "foreign_site"),
    Attempt("moduleScript", "GET", "/api/sessions/a14", "foreign_origin"),
    Attempt("style", "GET", "/api/sessions/a15", "foreign_site"),
    Attempt("iframe", "GET", "/api/sessions/a16", "foreign_site"),
    Attempt("objectElement", "GET", "/api/sessions/a17", "foreign_site"),
    Attempt("eventSource", "GET", "/api/sessions/a18/events", "foreign_origin"),
    Attempt("openWindow", "GET", "/api/sessions/a19", "foreign_site"),
    Attempt("webSocket", "WS", "/api/events", "foreign_origin"),
    Attempt("webSocketWithTicket", "WS", "/api/events/a20", "foreign_origin"),
    Attempt("pageFile", "GET", "/assets/a21.js", "foreign_site"),
]


@dataclass(frozen=True)
class Target:
    """The server under attack."""

    base_url: str
    port: int
    token: str
    guard_lines: Callable[[], list[str]]
    """What its guard has logged so far."""


@pytest.fixture
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Target]:
    """A daemon; its parameter is `auth.loopback`."""
    auth = {"loopback": getattr(request, "param", "token")}
    with real_daemon(tmp_path / "project", log_level="debug", auth=auth) as daemon:
        begun = len(daemon.log_messages(GUARD))

        def guard_lines() -> list[str]:
            return daemon.log_messages(GUARD)[begun:]

        yield Target(daemon.base_url, daemon.port, daemon.token, guard_lines)


@contextmanager
def foreign_site(attack: str) -> Generator[str]:
    """Serve a page of another origin on this machine and give its address."""
    files = {
        "/": ("text/html", b"<!doctype html><title>foreign</title><script src=/x.js></script>"),
        "/x.js": ("text/javascript", attack.encode()),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, content = files.get(self.path, ("text/plain", b""))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def guard_records(target: Target) -> list[tuple[str, str, str, str]]:
    """Give (verdict, method, path, reason) of each request the guard has logged."""
    found = [GUARD_LINE.fullmatch(line) for line in target.guard_lines()]
    return [(m[1], m[2], m[3], m[4] or "") for m in found if m]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition() and time.monotonic() < deadline:
        threading.Event().wait(0.02)


def run_attack(page: Page, target: Target, foreign: str) -> list[dict[str, str]]:
    page.goto(foreign)
    arguments = [target.base_url, [[each.name, each.path] for each in ATTEMPTS]]
    return page.evaluate("([base, attempts]) => window.attack(base, attempts)", arguments)


@pytest.mark.parametrize("target", ["token", "trust-same-user"], indirect=True)
def test_every_attempt_of_a_foreign_page_is_refused_and_none_allowed(
    target: Target, browser: Browser
) -> None:
    expected = {("refused", each.method, each.path, each.reason) for each in ATTEMPTS}
    attack = ATTACK.read_text(encoding="utf-8")
    with foreign_site(attack) as foreign, browser.new_context() as context:
        report = run_attack(context.new_page(), target, foreign)
        wait_for(lambda: expected <= set(guard_records(target)))
        records = guard_records(target)
    assert [each["name"] for each in report] == [each.name for each in ATTEMPTS]
    assert {each["outcome"] for each in report} == {"nothing readable"}
    refused = [each for each in records if each[0] == "refused"]
    assert set(refused) == expected
    assert len(refused) == len(ATTEMPTS)
    assert [each for each in records if each[0] == "admitted"] == []


CONTROL = """async ([base, ticket]) => {
  const call = async (method, path, body, key) => {
    const headers = { "Content-Type": "application/json" };
    if (key) headers.Authorization = `Bearer ${key}`;
    const answer = await fetch(path, { method, headers, body: JSON.stringify(body) });
    return { status: answer.status, json: await answer.json() };
  };
  const traded = await call("POST", "/api/auth/exchange", { ticket });
  const key = traded.json.session_key;
  const listed = await call("GET", "/api/sessions", undefined, key);
  const again = await call("POST", "/api/auth/exchange", { ticket });
  const minted = await call("POST", "/api/auth/tickets", { purpose: "ws" }, key);
  const url = `${base.replace("http", "ws")}/api/events`;
  const socket = new WebSocket(url, ["lar.v1", `ticket.${minted.json.ticket}`]);
  const protocol = await new Promise((resolve) => {
    socket.onopen = () => resolve(socket.protocol);
    socket.onerror = () => resolve("refused");
  });
  socket.close();
  return [traded.status, listed.status, again.status, minted.status, protocol];
}"""


def mint_page_ticket(target: Target) -> str:
    headers = [
        ("Host", f"127.0.0.1:{target.port}"),
        ("Authorization", f"Bearer {target.token}"),
        ("Content-Type", "application/json"),
    ]
    minted = send(target.port, "POST", "/api/auth/tickets", headers, b'{"purpose": "ui"}')
    return minted.json["ticket"]


WATCH_POLICY = """window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective} ${event.blockedURI}`);
});"""


def test_the_server_s_own_page_is_allowed_all_it_needs(target: Target, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.add_init_script(WATCH_POLICY)
        page.goto(f"{target.base_url}/#t={mint_page_ticket(target)}")
        outcome = page.evaluate(CONTROL, [target.base_url, mint_page_ticket(target)])
        violations = page.evaluate("window.violations")
    assert violations == []
    assert outcome == [200, 200, 401, 201, "lar.v1"]
    refused = [each for each in guard_records(target) if each[0] == "refused"]
    assert refused == []
    admitted = {each[1:3] for each in guard_records(target) if each[0] == "admitted"}
    assert {("GET", "/api/sessions"), ("WS", "/api/events")} <= admitted


def test_a_foreign_frame_of_the_page_stays_empty(target: Target, browser: Browser) -> None:
    show = f"""const frame = document.createElement("iframe");
    frame.src = {json.dumps(target.base_url + "/")};
    frame.onload = () => (document.title = "loaded");
    document.documentElement.append(frame);"""
    with foreign_site(show) as foreign, browser.new_context() as context:
        page = context.new_page()
        page.goto(foreign)
        page.wait_for_function("document.title === 'loaded'")
        frames = [each.url for each in page.frames if each is not page.main_frame]
    assert frames == ["chrome-error://chromewebdata/"]
    assert [each for each in guard_records(target) if each[0] == "admitted"] == []
