"""Fetching a page: real connections to a scripted site."""

import zlib
from collections.abc import Generator
from functools import partial
from typing import Any

import anyio
import pytest
from anyio import to_thread
from tests.daemon.tools.conftest import ToolBench
from tests.fakes.web_site import WebSite, web_site

from lararium_daemon.protocol.messages import ToolResult
from lararium_daemon.tools.registry import ToolFailure
from lararium_daemon.tools.web_exchange import WebExchange
from lararium_daemon.tools.web_fetch import WebFetch

pytestmark = pytest.mark.anyio


@pytest.fixture
def site() -> Generator[WebSite]:
    with web_site() as site:
        yield site


async def fetch(site: WebSite, bench: ToolBench, url: str, **limits: Any) -> ToolResult:
    start = limits.pop("start", 0)
    tool = WebFetch(partial(WebExchange, judge=site.judge, **limits))
    args = tool.parse({"url": url, "start": start})
    with anyio.fail_after(20):
        return await tool.run(args, await tool.preview(args, bench.context()), bench.context())


async def failure(site: WebSite, bench: ToolBench, url: str, **limits: Any) -> str:
    with pytest.raises(ToolFailure) as found:
        await fetch(site, bench, url, **limits)
    return found.value.text


async def test_a_page_comes_as_its_text(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/a?b=c", "<title>T</title><p>Hello <b>you</b>", "Content-Type: text/html")

    result = await fetch(site, bench, url)

    assert (result.text, result.is_error) == ("# T\n\nHello you", False)
    assert result.metadata["status"] == 200
    head = site.requests[0].decode()
    assert head.startswith("GET /a?b=c HTTP/1.1\r\nHost: site.example:")
    assert "cookie" not in head.lower()


async def test_json_and_plain_text_come_as_they_are(site: WebSite, bench: ToolBench) -> None:
    for kind in ("application/json", "text/plain; charset=utf-8", "application/ld+json"):
        url = site.page("/x", '{"a": "<p>é"}', f"Content-Type: {kind}")
        assert (await fetch(site, bench, url)).text == '{"a": "<p>é"}'


async def test_what_is_no_text_is_refused(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/x", b"\x89PNG\0\0", "Content-Type: image/png")
    assert "image/png" in await failure(site, bench, url)
    url = site.page("/y", b"\0\1\2", "Content-Type: text/plain")
    assert "only text" in await failure(site, bench, url)


async def test_an_error_page_is_an_error_with_its_text(site: WebSite, bench: ToolBench) -> None:
    result = await fetch(site, bench, f"http://site.example:{site.port}/gone")

    assert (result.text, result.is_error) == ("[The server answered 404.]\nno", True)


async def test_a_redirect_on_the_host_is_followed(site: WebSite, bench: ToolBench) -> None:
    site.page("/b", "there", "Content-Type: text/plain")
    url = site.page("/a", "", "Location: /b", status="302 Found")

    result = await fetch(site, bench, url)

    assert result.text == "there"
    assert result.metadata["url"].endswith("/b")


@pytest.mark.parametrize(
    "target", ["http://other.example/x", "http://169.254.169.254/latest", "//127.0.0.1/x"]
)
async def test_a_redirect_to_another_host_is_told_and_not_followed(
    site: WebSite, bench: ToolBench, target: str
) -> None:
    url = site.page("/a", "", f"Location: {target}", status="301 Moved")

    result = await fetch(site, bench, url)

    assert "redirects to another address" in result.text
    assert len(site.requests) == 1


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://u:p@site.example/", "gopher://x"])
async def test_a_redirect_to_no_web_address_is_refused(
    site: WebSite, bench: ToolBench, target: str
) -> None:
    url = site.page("/a", "", f"Location: {target}", status="302 Found")

    assert await failure(site, bench, url)
    assert len(site.requests) == 1


async def test_redirects_end(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/a", "", "Location: /a", status="302 Found")

    assert "more than 5 times" in await failure(site, bench, url)


async def test_every_hop_is_judged_anew(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/a", "", "Location: /b", status="302 Found")
    judged: list[str] = []

    def judge(address: Any, resolve: Any) -> str:
        judged.append(address.target)
        if len(judged) > 1:
            raise ToolFailure("It is private by now.")
        return "127.0.0.1"

    tool = WebFetch(lambda: WebExchange(judge=judge))
    args = tool.parse({"url": url})
    with pytest.raises(ToolFailure, match="private by now"):
        await tool.run(args, await tool.preview(args, bench.context()), bench.context())

    assert judged == ["/a", "/b"]


async def test_this_machine_is_refused_by_name_and_by_number(bench: ToolBench) -> None:
    assert "private" in await bench.fails("web_fetch", url="http://localhost:8000/")
    assert "private" in await bench.fails("web_fetch", url="http://[::ffff:127.0.0.1]/")
    assert "private" in await bench.fails("web_fetch", url="http://127.1:1/")


async def test_a_page_is_bounded_in_size_also_when_it_is_packed(
    site: WebSite, bench: ToolBench
) -> None:
    packer = zlib.compressobj(wbits=zlib.MAX_WBITS | 16)
    packed = packer.compress(b"a" * 3_000_000) + packer.flush()
    url = site.page("/big", packed, "Content-Type: text/plain", "Content-Encoding: gzip")

    result = await fetch(site, bench, url, max_bytes=100_000)

    assert (result.metadata["bytes"], result.metadata["truncated"]) == (100_000, True)
    assert len(result.text.encode()) <= 32 * 1024
    assert "was cut" in result.text


async def test_a_long_page_is_read_in_pieces(site: WebSite, bench: ToolBench) -> None:
    text = "".join(f"line {number} é\n" for number in range(4_000))
    url = site.page("/long", text, "Content-Type: text/plain; charset=utf-8")
    pieces: list[str] = []
    start = 0
    while True:
        result = await fetch(site, bench, url, start=start)
        piece, _, note = result.text.partition("\n[")
        pieces.append(piece)
        if not note:
            break
        start = int(note.rpartition("=")[2].rstrip("]"))

    assert "".join(pieces).replace("\n", "") == text.replace("\n", "")
    assert "there is none" in await failure(site, bench, url, start=10**6)


async def test_a_server_that_says_nothing_is_given_up(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/slow", "late")

    assert "in time" in await failure(site, bench, url, max_seconds=0.3)


async def test_an_interrupt_ends_the_connection(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/slow", "late")
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fetch, site, bench, url)
            await to_thread.run_sync(site.asked.wait, 10)
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize(
    "answer",
    [b"", b"nonsense\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"X: " + b"a" * 70_000 + b"\r\n\r\n"],
)
async def test_a_broken_answer_is_a_failure_with_words(
    site: WebSite, bench: ToolBench, answer: bytes
) -> None:
    url = site.page("/x", "")
    site.answers["/x"] = answer

    assert "no usable answer" in await failure(site, bench, url)


async def test_a_packed_answer_that_is_none_is_a_failure(site: WebSite, bench: ToolBench) -> None:
    url = site.page("/x", "not packed", "Content-Encoding: gzip")
    assert "no usable answer" in await failure(site, bench, url)
    url = site.page("/y", "x", "Content-Encoding: br")
    assert "packed as br" in await failure(site, bench, url)


async def test_a_connection_that_is_not_safe_is_refused(site: WebSite, bench: ToolBench) -> None:
    url = f"https://site.example:{site.port}/"

    assert "site.example" in await failure(site, bench, url, max_seconds=3)


async def test_the_preview_shows_the_whole_address(bench: ToolBench) -> None:
    preview = await bench.preview("web_fetch", url="https://Example.com/a?q=1#part")

    assert preview.shown == preview.address == "https://example.com/a?q=1"
    assert preview.title == "example.com/a?q=1"
