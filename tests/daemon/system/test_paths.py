"""A workspace is its real path; our folders are private or refused."""

import os
import stat
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.paths import (
    ensure_private_dir,
    is_inside,
    path_key,
    resolve_paths,
    workspace_id,
)


def test_lararium_home_puts_every_folder_below_itself(tmp_path: Path) -> None:
    paths = resolve_paths({"LARARIUM_HOME": str(tmp_path)})
    assert (paths.config, paths.data, paths.state, paths.cache) == (
        tmp_path / "config",
        tmp_path / "data",
        tmp_path / "state",
        tmp_path / "cache",
    )


def test_a_relative_lararium_home_is_made_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert resolve_paths({"LARARIUM_HOME": "own"}).state == tmp_path / "own" / "state"


def test_without_lararium_home_the_platform_decides() -> None:
    paths = resolve_paths({})
    folders = (paths.config, paths.data, paths.state, paths.cache)
    assert all(folder.name == "lararium" and folder.is_absolute() for folder in folders)


def test_every_spelling_of_a_folder_is_one_workspace(tmp_path: Path) -> None:
    project = tmp_path / "proj"
    project.mkdir()
    link = tmp_path / "link"
    link.symlink_to(project)
    spellings = [
        project, link, Path(f"{project}/"), Path(f"{project}/../proj"), link / ".." / "proj",
    ]  # fmt: skip
    assert len({workspace_id(folder) for folder in spellings}) == 1
    assert len(workspace_id(project)) == 16


def test_a_name_that_is_not_utf8_has_an_id(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xefve"))
    folder.mkdir()
    assert len(workspace_id(folder)) == 16


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("c:\\Proj", "C:/proj/"),
        ("C:\\PROJ\\.", "c:\\proj"),
        ("\\\\srv\\Share", "//SRV/share"),
        ("\\\\srv\\Share\\", "\\\\SRV\\share"),
        ("\\\\?\\C:\\Proj", "c:/proj"),
        ("\\\\?\\UNC\\srv\\share", "//srv/share"),
        ("C:\\", "c:/"),
    ],
)
def test_windows_spellings_of_one_path_are_one(one: str, other: str) -> None:
    assert path_key(one, windows=True) == path_key(other, windows=True)


def test_elsewhere_case_tells_paths_apart() -> None:
    assert path_key("/a/B", windows=False) != path_key("/a/b", windows=False)


def test_a_sibling_with_the_same_beginning_is_outside() -> None:
    assert not is_inside("C:\\proj2", "C:\\proj", windows=True)
    assert is_inside("c:/PROJ/sub", "C:\\proj", windows=True)
    assert is_inside("C:\\anything", "c:/", windows=True)
    assert not is_inside("/a/b2", "/a/b", windows=False)
    assert is_inside("/a/b", "/a/b", windows=False)
    assert is_inside("/a", "/", windows=False)


def test_a_private_folder_and_its_new_parents_are_ours_alone(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        folder = ensure_private_dir(tmp_path / "a" / "b")
    finally:
        os.umask(previous)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, folder.parent)] == [0o700] * 2


def test_a_folder_others_may_read_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    assert stat.S_IMODE(ensure_private_dir(folder).stat().st_mode) == 0o700


def test_a_link_in_place_of_our_folder_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "trap"
    target.mkdir()
    link = tmp_path / "ours"
    link.symlink_to(target)
    with pytest.raises(LarariumError, match="is a link") as refusal:
        ensure_private_dir(link)
    assert refusal.value.code == "unsafe_folder"
    assert list(target.iterdir()) == []


def test_a_folder_others_may_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(LarariumError, match="changed by other users"):
        ensure_private_dir(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 65534, 65534)
    with pytest.raises(LarariumError, match="belongs to another user"):
        ensure_private_dir(folder)


def test_a_file_in_place_of_our_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(LarariumError) as refusal:
        ensure_private_dir(tmp_path / "file" / "sub")
    assert refusal.value.code == "folder_unusable"
    assert "LARARIUM_HOME" in refusal.value.detail  # the way on for a home that cannot be written
