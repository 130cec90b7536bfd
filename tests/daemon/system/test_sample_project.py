import os
import subprocess
import sys
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_daemon.system.sample_project import (
    MARKER,
    copy_sample_project,
    is_sample_project,
    remove_sample_project,
)


def run_tests(folder: Path) -> int:
    return subprocess.run([sys.executable, "-m", "unittest"], cwd=folder, check=False).returncode


def test_a_copy_is_whole_and_has_one_mistake_that_its_tests_find(tmp_path: Path) -> None:
    folder = copy_sample_project(tmp_path / "samples" / "Lamp oil")
    names = sorted(path.name for path in folder.iterdir())
    assert names == [MARKER, "README.md", "lamp.py", "test_lamp.py"]
    assert run_tests(folder) != 0
    code = (folder / "lamp.py").read_text(encoding="utf-8")
    wrong = "oil_millilitres / MILLILITRES_PER_HOUR"
    assert code.count(wrong) == 1
    right = code.replace(wrong, "oil_millilitres / (MILLILITRES_PER_HOUR * wicks)")
    (folder / "lamp.py").write_text(right, encoding="utf-8")
    assert run_tests(folder) == 0


def test_a_name_that_is_taken_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "tour").mkdir()
    (tmp_path / "tour-2").write_text("mine", encoding="utf-8")
    assert copy_sample_project(tmp_path / "tour") == tmp_path / "tour-3"
    assert list((tmp_path / "tour").iterdir()) == []


def test_a_copy_is_removed_with_what_was_added_and_nothing_else_ever_is(tmp_path: Path) -> None:
    folder = copy_sample_project(tmp_path / "tour")
    (folder / "more").mkdir()
    other = tmp_path / "project"
    other.mkdir()
    link = tmp_path / "link"
    link.symlink_to(folder)
    assert not remove_sample_project(other)
    assert not remove_sample_project(link)
    assert not remove_sample_project(tmp_path / "missing")
    assert remove_sample_project(folder)
    assert other.is_dir()
    assert not folder.exists()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"sample": "other"}', "x" * 2000])
def test_another_marker_makes_no_sample(tmp_path: Path, content: str) -> None:
    (tmp_path / MARKER).write_text(content, encoding="utf-8")
    assert not is_sample_project(tmp_path)
    assert not remove_sample_project(tmp_path)


@pytest.mark.timeout(10)
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_as_marker_makes_no_sample_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MARKER)
    assert not is_sample_project(tmp_path)


def test_a_place_that_takes_no_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(LarariumError) as caught:
        copy_sample_project(tmp_path / "file" / "tour")
    assert caught.value.code == "sample_unwritable"
