"""Which folder is meant; what cannot be a workspace is said before anything starts."""

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lararium_daemon.client.errors import ClientError
from lararium_daemon.client.workspace import check_folder, find_workspace
from lararium_daemon.system.paths import resolve_paths


@pytest.fixture
def environment(lararium_home: Path) -> dict[str, str]:
    return {"LARARIUM_HOME": str(lararium_home)}


def register(environment: dict[str, str], *paths: Path) -> None:
    registry = resolve_paths(environment).registry
    registry.parent.mkdir(parents=True, exist_ok=True)
    entries = [{"id": "x", "path": str(path), "name": path.name} for path in paths]
    registry.write_text(json.dumps({"version": 1, "workspaces": entries}), encoding="utf-8")


def make(path: Path) -> Path:
    path.mkdir(parents=True)
    return path


def test_a_folder_in_no_project_is_its_own_workspace(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    assert find_workspace(tmp_path, environment) == tmp_path


def test_a_folder_below_a_project_means_the_project(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    deep = make(tmp_path / "proj" / "src" / "deep")
    register(environment, tmp_path / "proj", make(tmp_path / "other"))
    assert find_workspace(deep, environment) == tmp_path / "proj"


def test_the_nearest_of_nested_projects_is_meant(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    deep = make(tmp_path / "proj" / "sub" / "deep")
    register(environment, tmp_path / "proj" / "sub", tmp_path / "proj")
    assert find_workspace(deep, environment) == tmp_path / "proj" / "sub"


def test_a_sibling_with_the_same_beginning_is_not_inside(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    sibling = make(tmp_path / "proj2")
    register(environment, make(tmp_path / "proj"))
    assert find_workspace(sibling, environment) == sibling


def test_a_link_into_a_project_means_the_project(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    source = make(tmp_path / "proj" / "src")
    link = tmp_path / "link"
    link.symlink_to(source)
    register(environment, tmp_path / "proj")
    assert find_workspace(link, environment) == tmp_path / "proj"


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"workspaces": 7}', '{"workspaces": [7]}', '{"workspaces": [{}]}']
)
def test_a_damaged_list_of_projects_hinders_nobody(
    tmp_path: Path, environment: dict[str, str], content: str
) -> None:
    registry = resolve_paths(environment).registry
    registry.parent.mkdir(parents=True)
    registry.write_text(content, encoding="utf-8")
    assert find_workspace(tmp_path, environment) == tmp_path


def code_of(path: Path) -> str:
    with pytest.raises(ClientError) as refusal:
        check_folder(path)
    assert str(path) in refusal.value.detail
    assert refusal.value.exit_code == 1
    return refusal.value.code


def test_what_cannot_be_a_workspace_is_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    circle = tmp_path / "circle"
    circle.symlink_to(circle)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "nowhere")
    assert code_of(tmp_path / "missing") == "no_such_folder"
    assert code_of(dangling) == "no_such_folder"
    assert code_of(file / "below") == "no_such_folder"
    assert code_of(file) == "not_a_folder"
    assert code_of(circle) == "folder_unreadable"
    assert code_of(tmp_path / "nul\x00l") == "folder_unreadable"


def test_a_folder_that_may_not_be_listed_is_unreadable(tmp_path: Path) -> None:
    closed = make(tmp_path / "closed")
    closed.chmod(0o000)
    with as_ordinary_user():
        assert code_of(closed) == "folder_unreadable"


@contextmanager
def as_ordinary_user() -> Generator[None]:
    """Root may read everything: be somebody else meanwhile."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
