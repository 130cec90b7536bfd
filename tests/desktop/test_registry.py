"""The registry keeps the person's list of projects whatever happens to its file."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lararium_daemon.protocol.problems import LarariumError
from lararium_daemon.system.paths import workspace_id
from lararium_desktop.hub import registry as registry_module
from lararium_desktop.hub.registry import Registry


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "config" / "workspaces.json", now=lambda: "2026-11-30T10:58:07Z")


def make_folder(tmp_path: Path, name: str) -> Path:
    folder = tmp_path / "code" / name
    folder.mkdir(parents=True)
    return folder


def refusal(registry: Registry, folder: Path | str) -> str:
    with pytest.raises(LarariumError) as caught:
        registry.add(str(folder))
    return caught.value.code


def test_an_added_folder_is_listed_by_name_and_survives_a_restart(
    registry: Registry, tmp_path: Path
):
    folder = make_folder(tmp_path, "atlas-api")
    entry = registry.add(str(folder))
    assert (entry.id, entry.name, entry.path) == (workspace_id(folder), "atlas-api", str(folder))
    assert Registry(registry.path).entries() == [entry]
    assert stat.S_IMODE(registry.path.stat().st_mode) == 0o600


def test_entries_keep_the_order_in_which_they_came(registry: Registry, tmp_path: Path):
    for name in ("zeta", "alpha", "middle"):
        registry.add(str(make_folder(tmp_path, name)))
    assert [entry.name for entry in registry.entries()] == ["zeta", "alpha", "middle"]


def test_a_folder_reached_by_a_link_is_the_same_project(registry: Registry, tmp_path: Path):
    folder = make_folder(tmp_path, "atlas")
    link = tmp_path / "shortcut"
    link.symlink_to(folder)
    first = registry.add(str(folder))
    assert registry.add(str(link)) == first
    assert registry.add(f"{folder}/../atlas/") == first
    assert len(registry.entries()) == 1


def test_a_folder_inside_a_project_is_refused_until_it_is_asked_for(
    registry: Registry, tmp_path: Path
):
    outer = make_folder(tmp_path, "mono")
    inner = make_folder(tmp_path, "mono/packages/web")
    registry.add(str(outer))
    assert refusal(registry, inner) == "inside_workspace"
    assert registry.add(str(inner), nested=True).name == "web"
    assert registry.add(str(inner)).name == "web", "once registered it is simply found"


def test_a_name_that_only_begins_alike_is_not_inside(registry: Registry, tmp_path: Path):
    registry.add(str(make_folder(tmp_path, "atlas")))
    assert registry.add(str(make_folder(tmp_path, "atlas-api"))).name == "atlas-api"


def test_what_cannot_be_a_project_is_said_and_not_stored(registry: Registry, tmp_path: Path):
    file = tmp_path / "notes.txt"
    file.write_text("x", encoding="utf-8")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    assert refusal(registry, tmp_path / "nowhere") == "no_such_folder"
    assert refusal(registry, file) == "not_a_folder"
    assert refusal(registry, loop) == "folder_unreadable"
    assert refusal(registry, "relative/path") == "path_not_absolute"
    assert refusal(registry, "/a\x00b") == "folder_unreadable"
    assert refusal(registry, "/" + "n" * 5000) == "folder_unreadable"
    assert registry.entries() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every folder")
def test_an_unreadable_folder_is_refused(registry: Registry, tmp_path: Path):
    folder = make_folder(tmp_path, "locked")
    folder.chmod(0)
    assert refusal(registry, folder) == "folder_unreadable"


def test_a_folder_whose_name_is_no_text_is_refused_in_words(registry: Registry, tmp_path: Path):
    raw = os.fsencode(tmp_path) + b"/caf\xe9"
    os.mkdir(raw)  # noqa: PTH102  pathlib has no bytes
    assert refusal(registry, os.fsdecode(raw)) == "path_not_text"


def test_home_is_spelled_with_a_tilde(registry: Registry):
    (Path.home() / "atlas").mkdir(parents=True)
    assert registry.add("~/atlas").path == str(Path.home() / "atlas")


def test_rename_and_remove_change_one_entry(registry: Registry, tmp_path: Path):
    first = registry.add(str(make_folder(tmp_path, "one")))
    second = registry.add(str(make_folder(tmp_path, "two")))
    assert registry.rename(second.id, "Zwei").name == "Zwei"
    registry.remove(first.id)
    assert [entry.name for entry in registry.entries()] == ["Zwei"]
    with pytest.raises(LarariumError, match="No project"):
        registry.remove(first.id)
    with pytest.raises(LarariumError, match="No project"):
        registry.rename(first.id, "x")


def test_a_damaged_file_is_kept_aside_and_the_last_good_list_serves(
    registry: Registry, tmp_path: Path
):
    registry.add(str(make_folder(tmp_path, "one")))
    registry.add(str(make_folder(tmp_path, "two")))
    registry.path.write_text('{"version": 1, "workspa', encoding="utf-8")
    assert [entry.name for entry in registry.entries()] == ["one"]
    kept = registry.path.with_name("workspaces.json.bad-2026-11-30T105807Z")
    assert kept.read_text(encoding="utf-8") == '{"version": 1, "workspa'
    assert kept.name in registry.notices[0]
    registry.add(str(tmp_path / "code" / "two"))
    assert [entry.name for entry in Registry(registry.path).entries()] == ["one", "two"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    content=st.one_of(
        st.binary(max_size=60),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(
                    st.sampled_from(["version", "workspaces", "id"]), inner, max_size=3
                )
            ),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_whatever_the_file_holds_the_registry_answers_and_can_add(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
):
    base = tmp_path_factory.mktemp("any")
    (base / "config").mkdir()
    registry = Registry(base / "config" / "workspaces.json")
    registry.path.write_bytes(content)
    registry.entries()
    try:
        registry.add(str(make_folder(base, "new")))
    except LarariumError as error:
        assert error.code == "registry_newer"
    else:
        assert "new" in [entry.name for entry in registry.entries()]


def test_a_damaged_file_without_a_backup_leaves_an_empty_list_and_says_so(
    registry: Registry, tmp_path: Path
):
    registry.path.parent.mkdir(parents=True)
    registry.path.write_bytes(b"\x00\xff")
    assert registry.entries() == []
    assert "damaged" in registry.notices[0]
    registry.add(str(make_folder(tmp_path, "one")))
    assert len(registry.entries()) == 1


def test_one_broken_entry_does_not_take_the_others_with_it(registry: Registry, tmp_path: Path):
    good = registry.add(str(make_folder(tmp_path, "one")))
    body = json.loads(registry.path.read_text(encoding="utf-8"))
    body["workspaces"].insert(0, {"id": 7, "unexpected": True})
    body["note"] = "kept"
    registry.path.write_text(json.dumps(body), encoding="utf-8")
    assert registry.entries() == [good]
    assert "could not be read" in registry.notices[0]
    registry.rename(good.id, "Eins")
    after = json.loads(registry.path.read_text(encoding="utf-8"))
    assert {"id": 7, "unexpected": True} in after["workspaces"]
    assert after["note"] == "kept"


def test_a_file_of_a_newer_version_is_shown_and_never_written(registry: Registry, tmp_path: Path):
    entry = registry.add(str(make_folder(tmp_path, "one")))
    body = json.loads(registry.path.read_text(encoding="utf-8"))
    body["version"] = 2
    body["workspaces"][0]["pinned"] = True
    text = json.dumps(body)
    registry.path.write_text(text, encoding="utf-8")
    assert [found.id for found in registry.entries()] == [entry.id]
    assert refusal(registry, make_folder(tmp_path, "two")) == "registry_newer"
    with pytest.raises(LarariumError, match="newer version"):
        registry.remove(entry.id)
    assert registry.path.read_text(encoding="utf-8") == text
    assert "newer version" in registry.notices[0]


def test_unknown_fields_of_an_entry_are_kept(registry: Registry, tmp_path: Path):
    entry = registry.add(str(make_folder(tmp_path, "one")))
    body = json.loads(registry.path.read_text(encoding="utf-8"))
    body["workspaces"][0]["colour"] = "ochre"
    registry.path.write_text(json.dumps(body), encoding="utf-8")
    registry.rename(entry.id, "Eins")
    assert json.loads(registry.path.read_text(encoding="utf-8"))["workspaces"][0]["colour"] == (
        "ochre"
    )


def test_two_writers_at_once_lose_nothing(registry: Registry, tmp_path: Path):
    folders = [make_folder(tmp_path, f"project-{number}") for number in range(12)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(Registry(registry.path).add, map(str, folders)))
    assert {entry.path for entry in registry.entries()} == {str(folder) for folder in folders}


def test_a_lock_that_is_not_freed_is_said_instead_of_waited_for(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(registry_module, "LOCK_SECONDS", 0.01)
    registry.entries()
    lock = FileLock(registry.path.with_name("workspaces.json.lock"))
    with lock, pytest.raises(LarariumError) as caught:
        registry.entries()
    assert caught.value.code == "registry_busy"


def names(registry: Registry) -> list[str]:
    return [entry.name for entry in registry.entries()]


def test_pinned_projects_stand_first_and_keep_their_own_order(registry: Registry, tmp_path: Path):
    ids = [registry.add(str(make_folder(tmp_path, name))).id for name in ("a", "b", "c", "d")]
    registry.pin(ids[2], pinned=True)
    registry.pin(ids[3], pinned=True)
    assert names(registry) == ["c", "d", "a", "b"]
    registry.pin(ids[2], pinned=False)
    assert names(Registry(registry.path)) == ["d", "a", "b", "c"]


def test_a_project_moves_to_a_place_but_never_over_the_edge_of_the_pinned(
    registry: Registry, tmp_path: Path
):
    ids = [registry.add(str(make_folder(tmp_path, name))).id for name in ("a", "b", "c", "d")]
    registry.move(ids[3], 0)
    assert names(registry) == ["d", "a", "b", "c"]
    registry.move(ids[3], 99)
    assert names(registry) == ["a", "b", "c", "d"]
    registry.pin(ids[1], pinned=True)
    registry.move(ids[0], 0)
    assert names(registry) == ["b", "a", "c", "d"]
    registry.move(ids[1], 3)
    assert names(registry) == ["b", "a", "c", "d"]
    with pytest.raises(LarariumError, match="No project"):
        registry.move(workspace_id(tmp_path), 0)
