"""The tour's sample lies where tools may work on it."""

from pathlib import Path

from lararium_daemon.permissions.places import Places, is_own
from lararium_daemon.system.paths import resolve_paths
from lararium_desktop.hub.tour_api import samples_folder


def test_a_sample_lies_outside_the_folders_that_no_tool_may_touch(tmp_path: Path) -> None:
    for environment in ({"LARARIUM_HOME": f"{tmp_path}/lar/"}, {"HOME": str(tmp_path)}):
        paths = resolve_paths(environment)
        places = Places(tmp_path, (paths.config, paths.data, paths.state, paths.cache))
        folder = samples_folder(environment)
        assert folder.is_relative_to(tmp_path)
        assert not is_own(folder / "lamp-oil" / "lamp.py", places)
