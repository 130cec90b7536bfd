"""The built page as static files, with what only the server knows rendered into it.

The page holds no data: everything it shows comes through the API with its own session key. It
takes the hub's origin from here and never from its address, which any framer could choose.
"""

import html
import re
import secrets
from pathlib import Path

import anyio
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lararium_daemon.edge.framing import HubOrigin
from lararium_daemon.edge.headers import PageSources, page_csp
from lararium_daemon.edge.problem import problem_response

# Not `mimetypes`: it reads the machine's own table, where Windows may call a script plain text.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
_SEGMENT = re.compile(r"[A-Za-z0-9_@~-][A-Za-z0-9._@~-]*")
_FALLBACK = """<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Lararium</title></head>
  <body>
    <h1>The page is not built</h1>
    <p>The server runs and its API answers. Build the page with <code>python3 dev.py setup</code>,
    then load this page anew.</p>
  </body>
</html>
"""


class PageApp:
    """Serves one built page; a folder without `index.html` gives a page that says so."""

    def __init__(
        self,
        static: Path,
        *,
        port: int,
        hub_origin: HubOrigin | None = None,
        frames_loopback: bool = False,
    ) -> None:
        self._root = static.resolve()
        self._port = port
        self._hub_origin = hub_origin or HubOrigin()
        self._frames_loopback = frames_loopback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a GET or HEAD for the page or one of its files."""
        response = await self._response(scope)
        await response(scope, receive, send)

    async def _response(self, scope: Scope) -> Response:
        if scope["method"] not in {"GET", "HEAD"}:
            detail = "The page is only read."
            return problem_response(405, "method_not_allowed", detail, {"Allow": "GET, HEAD"})
        path: str = scope["path"]
        if path in {"", "/", "/index.html"}:
            return await self._index()
        found = await anyio.to_thread.run_sync(self._read, path.removeprefix("/"))
        if found is None:
            return problem_response(404, "not_found", "There is no such file.")
        # Built assets carry a hash of their content in their name.
        is_hashed = path.startswith("/assets/")
        caching = "public, max-age=31536000, immutable" if is_hashed else "no-cache"
        media_type = _TYPES.get(Path(path).suffix, "application/octet-stream")
        return Response(found, headers={"Cache-Control": caching}, media_type=media_type)

    async def _index(self) -> Response:
        built = await anyio.to_thread.run_sync(self._read, "index.html")
        nonce = secrets.token_urlsafe(16)
        origin = self._hub_origin.value
        metas = {"lararium-nonce": nonce, "lararium-hub-origin": origin}
        source = _FALLBACK if built is None else built.decode("utf-8")
        sources = PageSources(self._port, origin, self._frames_loopback)
        headers = {
            "Content-Security-Policy": page_csp(sources, nonce),
            "Cache-Control": "no-store",
        }
        return Response(render_metas(source, metas), headers=headers, media_type="text/html")

    def _read(self, name: str) -> bytes | None:
        if not all(_SEGMENT.fullmatch(segment) for segment in name.split("/")):
            return None
        path = (self._root / name).resolve()
        if not path.is_relative_to(self._root) or not path.is_file():
            return None
        try:
            return path.read_bytes()
        except OSError:  # a build that runs beside us has just replaced it
            return None


def render_metas(source: str, values: dict[str, str]) -> str:
    """Fill the `content` of the page's own meta elements; those it does not have stay away."""
    for name, value in values.items():
        element = f'<meta name="{name}" content="{html.escape(value)}" />'
        pattern = rf'<meta\s+name="{re.escape(name)}"[^>]*>'
        source = re.sub(pattern, lambda _, element=element: element, source, count=1)
    return source


def with_page(api: ASGIApp, page: ASGIApp) -> ASGIApp:
    """Put the page beside the API: the API keeps its lifespan, its WebSockets and `/api`."""

    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_page = scope["type"] == "http" and path != "/api" and not path.startswith("/api/")
        await (page if is_page else api)(scope, receive, send)

    return site
