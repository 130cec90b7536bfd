"""Only what lies in a project's folder is shown outside the app."""

import os
from pathlib import Path

import pytest

from lararium_daemon.protocol.errors import LarariumError
from lararium_desktop.hub.inside import path_inside


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "atlas"
    (folder / "src").mkdir(parents=True)
    for name in ("src/main.py", "-rf", "a b,c'.txt"):
        (folder / name).touch()
    (tmp_path / "secret").touch()
    return folder


@pytest.mark.parametrize("path", ["", "src", "src/main.py", "./src/../src", "-rf", "a b,c'.txt"])
def test_what_lies_in_the_project_is_found_by_its_full_path(project: Path, path: str) -> None:
    found = path_inside(str(project), path)
    assert found.is_absolute()
    assert found == project.resolve() / os.path.normpath(path or ".")


def test_a_full_path_counts_when_it_lies_in_the_project(project: Path) -> None:
    assert path_inside(str(project), str(project / "src")) == project.resolve() / "src"


def test_a_project_behind_a_link_is_the_folder_it_leads_to(project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    assert path_inside(str(tmp_path / "link"), "src") == project.resolve() / "src"


@pytest.mark.parametrize("path", ["..", "../secret", "/", "/etc/passwd", "link", "~"])
def test_what_lies_elsewhere_is_refused(project: Path, tmp_path: Path, path: str) -> None:
    (project / "link").symlink_to(tmp_path / "secret")
    (project / "~").symlink_to("/")
    with pytest.raises(LarariumError) as caught:
        path_inside(str(project), path)
    assert (caught.value.status, caught.value.code) == (422, "outside_workspace")


@pytest.mark.parametrize("path", ["gone", "src/main.py/x", "\0", "circle", "x" * 4000])
def test_what_is_not_there_is_said(project: Path, path: str) -> None:
    (project / "circle").symlink_to("circle")
    with pytest.raises(LarariumError) as caught:
        path_inside(str(project), path)
    assert (caught.value.status, caught.value.code) == (404, "no_such_path")


def test_a_project_that_was_moved_is_said(tmp_path: Path) -> None:
    with pytest.raises(LarariumError) as caught:
        path_inside(str(tmp_path / "moved"), "")
    assert caught.value.code == "no_such_path"
    assert "moved or deleted" in caught.value.detail
