"""What holds for every test: one event loop kind, folders of its own, no way out of this machine.

Nothing a test starts reads the person's home, keys or proxies, and a connection to anywhere but
loopback is an error in the test that made it. Child processes inherit the cleaned environment.
"""

import os
import re
import socket
from collections.abc import Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from lararium_daemon.system.paths import WorkspacePaths, resolve_paths

# The same examples each time: a run that is red by chance says nothing about the change before it.
# The large sizes, which are run by hand, draw new ones.
settings.register_profile("known", derandomize=True)
if os.environ.get("LARARIUM_RELIABILITY") != "full":
    settings.load_profile("known")

FOREIGN_VARIABLES = re.compile(
    r"^(LARARIUM_|OPENAI_|ANTHROPIC_|XDG_(CONFIG|DATA|STATE|CACHE)_HOME$|(https?|all|no|ftp)_proxy$"
    r"|DBUS_SESSION_BUS_ADDRESS$)",
    re.IGNORECASE,
)
"""Variables that would let the machine a test runs on decide how it ends."""

ONE_AFTER_THE_OTHER = {"e2e", "reliability", "bench", "tray"}
"""Folders whose tests start whole shells or many processes; two at once would starve each other."""

_real_connect = socket.socket.connect
_real_connect_ex = socket.socket.connect_ex
_real_getaddrinfo = socket.getaddrinfo


class NetworkBlockedError(AssertionError):
    """A test tried to reach something outside this machine."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests of some folders on one worker, where pytest runs on several."""
    for item in items:
        if ONE_AFTER_THE_OTHER & set(item.path.parts):
            item.add_marker(pytest.mark.xdist_group("machine"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run every async test and async fixture, of any scope, on asyncio."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def isolated_machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Isolate the fixtures that outlive one test; `lararium_home` does it again for each test."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if FOREIGN_VARIABLES.match(name)]:
            patch.delenv(name)
        _redirect_folders(patch, tmp_path_factory.mktemp("session-home"))
        patch.setattr(socket.socket, "connect", _connect)
        patch.setattr(socket.socket, "connect_ex", _connect_ex)
        patch.setattr(socket, "getaddrinfo", _getaddrinfo)
        yield


@pytest.fixture(autouse=True)
def lararium_home(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Give the test its own home, and return its `LARARIUM_HOME`; both lie outside `tmp_path`."""
    return _redirect_folders(monkeypatch, tmp_path_factory.mktemp("home"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder that a daemon can be started for."""
    folder = tmp_path / "proj"
    folder.mkdir()
    return folder


@pytest.fixture
def paths(workspace: Path, lararium_home: Path) -> WorkspacePaths:
    """Where that daemon keeps what it writes."""
    return resolve_paths({"LARARIUM_HOME": str(lararium_home)}).workspace(workspace)


def _redirect_folders(patch: pytest.MonkeyPatch, home: Path) -> Path:
    patch.setenv("HOME", str(home))
    patch.setenv("USERPROFILE", str(home))
    patch.setenv("LARARIUM_HOME", str(home / "lararium"))
    return home / "lararium"


def _connect(self: socket.socket, address: Any) -> None:
    _refuse_the_outside(self, address)
    _real_connect(self, address)


def _connect_ex(self: socket.socket, address: Any) -> int:
    _refuse_the_outside(self, address)
    return _real_connect_ex(self, address)


def _getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    if host is not None and not _is_loopback(host):
        raise NetworkBlockedError(f"a test looked up {host!r}; tests reach loopback only")
    return _real_getaddrinfo(host, *args, **kwargs)


def _refuse_the_outside(sock: socket.socket, address: Any) -> None:
    if sock.family in {socket.AF_INET, socket.AF_INET6} and not _is_loopback(address[0]):
        raise NetworkBlockedError(f"a test connected to {address!r}; tests reach loopback only")


def _is_loopback(host: str | bytes) -> bool:
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in {"", "localhost", "0.0.0.0", "::"}:  # the wildcards name this machine
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
