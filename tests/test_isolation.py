"""The fixtures of `tests/conftest.py` keep their promises."""

import os
import socket
from pathlib import Path

import anyio.lowlevel
import pytest

from lararium_daemon import protocol


def test_a_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as sock, pytest.raises(AssertionError, match="loopback only"):
        sock.connect(("192.0.2.1", 80))


def test_a_name_of_another_machine_is_not_looked_up() -> None:
    with pytest.raises(AssertionError, match="loopback only"):
        socket.getaddrinfo("example.org", 80)


def test_loopback_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_no_key_or_proxy_of_the_machine_is_visible(lararium_home: Path) -> None:
    assert not [name for name in os.environ if name.lower().endswith("_proxy")]
    assert "OPENAI_API_KEY" not in os.environ
    assert os.environ["LARARIUM_HOME"] == str(lararium_home)


def test_the_folders_of_a_test_lie_outside_its_working_folder(
    lararium_home: Path, tmp_path: Path
) -> None:
    assert not lararium_home.is_relative_to(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.anyio
async def test_an_async_test_runs_on_asyncio(anyio_backend: str) -> None:
    assert anyio_backend == "asyncio"
    await anyio.lowlevel.checkpoint()


def test_the_package_under_test_is_this_tree() -> None:
    assert Path(__file__).parents[1] in Path(str(protocol.__file__)).parents
