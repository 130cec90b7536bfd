"""Fifty processes that start the same folder at once end with one daemon, all of them with it."""

import json
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.fakes.figures import say_figure
from tests.fakes.fork_servers import fork_server
from tests.reliability.scale import scaled

from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.environment import read_environment
from lararium_daemon.system.locks import is_locked
from lararium_daemon.system.paths import resolve_paths

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the herd forks"),
    pytest.mark.timeout(1800),
]

HERD = Path(__file__).parents[1] / "fakes" / "herd.py"
STARTERS = 50


def stampede(workspace: Path) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, str(HERD), str(workspace), str(STARTERS)],
        env=os.environ,
        stdout=subprocess.PIPE,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(("how", "rounds"), [("anew", scaled(4, 50)), ("forked", scaled(16, 50))])
def test_fifty_starters_at_once_end_with_one_daemon_and_all_with_it(
    how: str, rounds: int, tmp_path: Path
) -> None:
    folders = resolve_paths(read_environment())
    places = folders.workspace(tmp_path)
    slowest = 0.0
    with fork_server(folders.hub) if how == "forked" else nullcontext():
        for number in range(rounds):
            answers = stampede(tmp_path)
            assert [one for one in answers if "error" in one] == [], f"round {number}"
            assert len(answers) == STARTERS
            assert len({(one["guid"], one["pid"], one["base_url"]) for one in answers}) == 1
            assert [one["already_running"] for one in answers].count(False) == 1
            assert daemons_in(places.state_dir) == [answers[0]["pid"]]
            slowest = max(slowest, *(one["seconds"] for one in answers))
            stop_daemon(places)
            assert daemons_in(places.state_dir) == []
            assert not is_locked(places.owner_lock)
    say_figure(
        f"{how}: {rounds} rounds of {STARTERS} starters, slowest attached in {slowest:.2f} s"
    )


def daemons_in(state_dir: Path) -> list[int]:
    """Give the daemons that live in a state folder: it is where they work."""
    found = psutil.process_iter(["name", "cwd"])
    facts = {"name": "lar-daemon", "cwd": str(state_dir)}
    return [process.pid for process in found if process.info == facts]
