"""A private file is whole or as it was."""

import stat
from pathlib import Path

import pytest

from lararium_daemon.system.atomic import write_private


def test_a_file_is_replaced_and_private(tmp_path: Path) -> None:
    path = tmp_path / "token"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_private(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"theirs")
    path = tmp_path / "file"
    path.symlink_to(target)
    write_private(path, b"ours")
    assert target.read_bytes() == b"theirs"
    assert not path.is_symlink()


def test_nothing_is_left_when_it_cannot_be_put_in_place(tmp_path: Path) -> None:
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(IsADirectoryError):
        write_private(path, b"x")
    assert list(tmp_path.iterdir()) == [path]
