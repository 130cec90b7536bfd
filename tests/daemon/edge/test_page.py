"""The page's files: what is served, what is rendered, what stays out of reach."""

import re
from pathlib import Path

import httpx
import pytest

from lararium_daemon.edge.framing import HubOrigin
from lararium_daemon.edge.page import PageApp, render_metas

NONCE = r'lararium-nonce" content="([^"]+)"'
pytestmark = pytest.mark.anyio

INDEX = """<!doctype html><head>
<meta name="lararium-nonce" content="" />
<meta name="lararium-hub-origin" content="old">
</head>"""


@pytest.fixture
def static(tmp_path: Path) -> Path:
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(INDEX, encoding="utf-8")
    (folder / "assets" / "index-a1B2_.js").write_text("export {};", encoding="utf-8")
    (folder / ".secret").write_text("no", encoding="utf-8")
    (tmp_path / "outside.js").write_text("no", encoding="utf-8")
    (folder / "link.js").symlink_to(tmp_path / "outside.js")
    return folder


async def get(page: PageApp, path: str, method: str = "GET") -> httpx.Response:
    transport = httpx.ASGITransport(page)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        return await client.request(method, path)


async def test_the_nonce_of_the_policy_is_the_one_in_the_page(static: Path) -> None:
    page = PageApp(static, port=4321)
    first, second = await get(page, "/"), await get(page, "/index.html")
    nonces = [
        re.findall(r'lararium-nonce" content="([^"]+)"', each.text) for each in (first, second)
    ]
    assert f"'nonce-{nonces[0][0]}'" in first.headers["content-security-policy"]
    assert nonces[0] != nonces[1]
    assert first.headers["cache-control"] == "no-store"
    assert first.headers["content-type"] == "text/html; charset=utf-8"


async def test_the_hub_s_origin_is_rendered_and_may_change(static: Path) -> None:
    origin = HubOrigin()
    page = PageApp(static, port=4321, hub_origin=origin)
    alone = await get(page, "/")
    assert 'lararium-hub-origin" content=""' in alone.text
    assert "frame-ancestors 'none'" in alone.headers["content-security-policy"]
    origin.set("http://127.0.0.1:4567")
    framed = await get(page, "/")
    assert 'lararium-hub-origin" content="http://127.0.0.1:4567"' in framed.text
    assert "frame-ancestors http://127.0.0.1:4567" in framed.headers["content-security-policy"]


async def test_a_hashed_file_is_kept_for_ever_as_what_it_is(static: Path) -> None:
    response = await get(PageApp(static, port=1), "/assets/index-a1B2_.js")
    assert response.text == "export {};"
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "path",
    [
        "/none.js",
        "/assets",
        "/assets/",
        "/.secret",
        "/link.js",
        "/../outside.js",
        "/assets/../../outside.js",
        "/%2e%2e/outside.js",
        "/assets/%2e%2e/%2e%2e/outside.js",
        "/assets\\..\\..\\outside.js",
        "//etc/passwd",
        "/%00",
    ],
)
async def test_what_is_no_file_of_the_page_is_not_found(static: Path, path: str) -> None:
    response = await get(PageApp(static, port=1), path)
    assert (response.status_code, response.json()["code"]) == (404, "not_found")


async def test_the_page_is_only_read(static: Path) -> None:
    response = await get(PageApp(static, port=1), "/", "POST")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"


async def test_without_a_build_the_page_says_how_to_get_one(tmp_path: Path) -> None:
    response = await get(PageApp(tmp_path / "none", port=1), "/")
    assert response.status_code == 200
    assert "python3 dev.py setup" in response.text
    assert "<script" not in response.text


def test_a_value_cannot_break_out_of_its_meta() -> None:
    rendered = render_metas('<meta name="a" content="">', {"a": '"><script>\\1', "b": "x"})
    assert rendered == '<meta name="a" content="&quot;&gt;&lt;script&gt;\\1" />'
