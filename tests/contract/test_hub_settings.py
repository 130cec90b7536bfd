"""What the person sets in the app itself, over real HTTP: settings, the rail's order, the tour."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.running_hub import RunningHub, running_hub

from lararium_daemon.client.errors import ClientError


@pytest.fixture
def hub() -> Iterator[RunningHub]:
    with running_hub() as running:
        yield running


def add(hub: RunningHub, folder: Path) -> str:
    folder.mkdir(parents=True)
    return str(hub.link.request("POST", "/workspaces", {"path": str(folder)})["id"])


def names(hub: RunningHub) -> list[str]:
    return [each["name"] for each in hub.link.request("GET", "/workspaces")["items"]]


def refusal(hub: RunningHub, method: str, path: str, body: dict[str, Any]) -> str:
    with pytest.raises(ClientError) as caught:
        hub.link.request(method, path, body)
    return caught.value.code


def test_settings_are_changed_one_by_one_and_survive_the_hub() -> None:
    with running_hub() as hub:
        hub.link.request("PATCH", "/settings", {"theme": "dark"})
        changed = hub.link.request("PATCH", "/settings", {"notifications": {"failed": False}})
        assert changed["theme"] == "dark"
        assert changed["notifications"]["needs_you"] is True
        assert refusal(hub, "PATCH", "/settings", {"text_percent": 151}) == "invalid_input"
        assert refusal(hub, "PATCH", "/settings", {"sound": "gong"}) == "invalid_input"
    with running_hub() as hub:
        assert hub.link.request("GET", "/settings") == changed


def test_projects_are_pinned_moved_and_renamed(hub: RunningHub, tmp_path: Path) -> None:
    ids = [add(hub, tmp_path / name) for name in ("atlas", "orrery", "tidepool")]
    hub.link.request("PATCH", f"/workspaces/{ids[2]}", {"place": 0})
    assert names(hub) == ["tidepool", "atlas", "orrery"]
    hub.link.request("PATCH", f"/workspaces/{ids[1]}", {"pinned": True, "name": "Planets"})
    assert names(hub) == ["Planets", "tidepool", "atlas"]
    hub.link.request("PATCH", f"/workspaces/{ids[0]}", {"place": 0})
    assert names(hub) == ["Planets", "atlas", "tidepool"]


def test_each_tour_has_a_sample_of_its_own_and_its_end_deletes_it(
    hub: RunningHub, tmp_path: Path
) -> None:
    first, second = (hub.link.request("POST", "/tour") for _ in range(2))
    assert first["sample"] is True
    assert first["path"] != second["path"]
    lamp = Path(first["path"], "lamp.py")
    assert lamp.is_file()
    hub.link.request("POST", f"/workspaces/{first['id']}/open", seconds=60)
    hub.link.request("DELETE", f"/tour/{first['id']}", seconds=60)
    assert not lamp.parent.exists()
    assert Path(second["path"], "lamp.py").is_file()
    assert len(names(hub)) == 1

    other = add(hub, tmp_path / "atlas")
    assert refusal(hub, "DELETE", f"/tour/{other}", {}) == "no_sample"
    assert (tmp_path / "atlas").is_dir()
