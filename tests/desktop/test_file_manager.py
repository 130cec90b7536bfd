"""A file is shown in the file manager by the bus, or by a command that is no shell's.

The commands of macOS and Windows are only looked at: nothing was run there.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
import pytest
from tests.fakes.file_manager import FakeFileManager
from tests.fakes.session_bus import missing, session_bus

from lararium_daemon.protocol.errors import LarariumError
from lararium_desktop.system.file_manager import BUS_ADDRESS, FileManager, reveal_command

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="the bus and xdg-open are Linux's"),
]
NO_BUS: dict[str, str] = {}


@pytest.fixture
def bus() -> Iterator[str]:
    if why := missing():
        pytest.skip(why)
    with TemporaryDirectory() as folder, session_bus(Path(folder)) as address:
        yield address


def program(path: Path, script: str) -> str:
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o700)
    return str(path)


async def test_the_desktops_own_file_manager_selects_the_file(bus: str, tmp_path: Path) -> None:
    file = tmp_path / "-a b'%é.txt"
    file.touch()
    manager = FileManager(opener=program(tmp_path / "opener", "exit 1"))
    with FakeFileManager(bus) as fake:
        await manager.reveal(file, {BUS_ADDRESS: bus})
        assert fake.shown == [[f"file://{tmp_path}/-a%20b%27%25%C3%A9.txt"]]


@pytest.mark.parametrize("address", ["", "unix:path=/nowhere/bus", "not an address"])
async def test_without_a_bus_the_folder_is_opened(tmp_path: Path, address: str) -> None:
    opener = program(tmp_path / "opener", f'printf %s "$#:$1" > {tmp_path}/said')
    (tmp_path / "-x; touch y").mkdir()
    await FileManager(opener=opener).reveal(
        tmp_path / "-x; touch y", {**os.environ, BUS_ADDRESS: address}
    )
    assert (tmp_path / "said").read_text("utf-8") == f"1:{tmp_path}/-x; touch y"


async def test_a_bus_without_a_file_manager_leaves_it_to_the_command(
    bus: str, tmp_path: Path
) -> None:
    opener = program(tmp_path / "opener", f'printf %s "$1" > {tmp_path}/said')
    (tmp_path / "file").touch()
    await FileManager(opener=opener).reveal(tmp_path / "file", {BUS_ADDRESS: bus})
    assert (tmp_path / "said").read_text("utf-8") == str(tmp_path)


@pytest.mark.parametrize(("script", "why"), [("exit 4", "ended with 4"), (None, "not be started")])
async def test_a_system_that_opens_no_folder_says_so(
    tmp_path: Path, script: str | None, why: str
) -> None:
    opener = program(tmp_path / "opener", script) if script else str(tmp_path / "missing")
    with pytest.raises(LarariumError) as caught:
        await FileManager(opener=opener).reveal(tmp_path, NO_BUS)
    assert caught.value.code == "native_failed"
    assert why in caught.value.detail


async def test_a_file_manager_that_goes_on_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lararium_desktop.system.file_manager.COMMAND_SECONDS", 0.05)
    opener = program(tmp_path / "opener", f"while [ ! -e {tmp_path}/end ]; do sleep 0.05; done")
    with anyio.fail_after(10):
        await FileManager(opener=opener).reveal(tmp_path, os.environ)
    (tmp_path / "end").touch()


@pytest.mark.parametrize(
    ("platform", "command"),
    [
        ("darwin", ["open", "-R", "/code/-n; rm"]),
        ("win32", ["explorer", "/select,", "/code/-n; rm"]),
        ("linux", ["xdg-open", "/code"]),
    ],
)
def test_each_system_has_its_command_and_no_shell(platform: str, command: list[str]) -> None:
    assert reveal_command(Path("/code/-n; rm"), platform) == command
