"""Frames of either kind are taken, and one that is no text is the client's fault, not the log's."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.fakes.guard_rows import TOKEN, fill
from tests.fakes.guarded_site import GuardedSite, guarded_site
from websockets.exceptions import ConnectionClosedError
from websockets.sync.client import ClientConnection, connect


@pytest.fixture
def site(tmp_path: Path) -> Iterator[GuardedSite]:
    with guarded_site(tmp_path) as running:
        yield running


@pytest.fixture
def client(site: GuardedSite) -> Iterator[ClientConnection]:
    headers = dict(fill(site, TOKEN))
    url = f"ws://127.0.0.1:{site.port}/api/echo"
    with connect(url, additional_headers=headers, proxy=None) as connected:
        yield connected


def test_text_and_binary_frames_are_the_same(client: ClientConnection) -> None:
    for sent in ("words", b"words", "", b""):
        client.send(sent)
        assert client.recv(timeout=5) == (sent if isinstance(sent, str) else sent.decode())


def test_text_that_is_no_utf8_ends_the_connection_and_is_no_error_of_ours(
    client: ClientConnection, caplog: pytest.LogCaptureFixture
) -> None:
    client.send(b"\xff\xfe", text=True)
    with pytest.raises(ConnectionClosedError) as ended:
        client.recv(timeout=5)
    assert ended.value.rcvd is not None
    assert ended.value.rcvd.code == 1007
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []


def test_closing_what_the_client_has_left_is_no_error(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with guarded_site(tmp_path) as site:
        headers = dict(fill(site, TOKEN))
        url = f"ws://127.0.0.1:{site.port}/api/echo"
        with connect(url, additional_headers=headers, proxy=None):
            pass
    assert site.calls == ["echo"]
    assert [each for each in caplog.records if each.levelno >= logging.WARNING] == []
