"""A request says everything, and what is no request is said to be none."""

import os
import sys
from pathlib import Path

import pytest

from lararium_daemon.system.fork_request import (
    ForkRequest,
    Surroundings,
    open_folder,
    parse_request,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="fork servers are Linux's")


def test_a_request_arrives_as_it_was_sent() -> None:
    around = Surroundings({"A": "1", "ODD": "a\udcffb\n", "EMPTY": ""}, Path("/a b\udcff"), 0o027)
    request = ForkRequest(Path("/work/é"), around, {"version": "1", "limits": [[-1, 5]]})
    line = request.encode()
    assert line.count(b"\n") == 1
    assert parse_request(line) == request


@pytest.mark.parametrize("line", [b"", b"{", b"1", b'{"environment": 1}', b"[" * 100_000])
def test_what_is_none_is_a_value_error(line: bytes) -> None:
    with pytest.raises(ValueError):
        parse_request(line)


def test_only_a_private_folder_of_our_own_is_opened(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(folder)
    file = tmp_path / "file"
    file.touch(mode=0o600)
    opened = open_folder(folder)
    assert opened is not None
    os.close(opened)
    assert [open_folder(path) for path in (link, file, tmp_path / "missing")] == [None] * 3
    folder.chmod(0o701)
    assert open_folder(folder) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_opened(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    assert open_folder(folder) is None
