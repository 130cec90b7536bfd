"""Nothing that a tool call has started outlives its end, and nothing else ends it.

Each ending is tried on trees that try to get away: sessions of their own, double forks, ignored
signals, held pipes, cleared environments. Five seconds after the end none of their processes runs.
"""

import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.fakes.figures import say_figure
from tests.fakes.llm_server import FakeLlm
from tests.fakes.llm_server import llm as llm
from tests.fakes.process_trees import Grove
from tests.fakes.running_hub import running_hub
from tests.fakes.tree_calls import CALLS_AT_ONCE, tree_daemon
from tests.reliability.scale import scaled

from lararium_daemon.client.stop import stop_daemon

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them"),
    pytest.mark.timeout(1800),
]

TREES = scaled(12, 200)
TREES_A_CALL = scaled(3, 5)
WAVES = TREES // (CALLS_AT_ONCE * TREES_A_CALL)
GONE_SECONDS = 5.0
TIMEOUT_SECONDS = scaled(4, 8)
SEED = 20261130


@pytest.fixture(autouse=True)
def model(llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in llm.environment.items():
        monkeypatch.setenv(name, value)


def check_gone(grove: Grove, begun: float) -> float:
    """See that nothing is left in time; give how long after `begun` that was."""
    alive = grove.wait_gone(begun + GONE_SECONDS)
    assert alive == {}
    return time.monotonic() - begun


def test_a_cancelled_call_leaves_nothing(tmp_path: Path) -> None:
    slowest = 0.0
    with tree_daemon(tmp_path / "proj") as daemon, ThreadPoolExecutor(CALLS_AT_ONCE) as persons:
        for wave in range(WAVES):
            grove = Grove(daemon.folder, SEED + wave)
            runs = daemon.wave(grove, TREES_A_CALL)
            assert len(grove.alive()) > CALLS_AT_ONCE * TREES_A_CALL
            begun = time.monotonic()
            list(persons.map(daemon.interrupt, runs))
            slowest = max(slowest, check_gone(grove, begun))
            assert {daemon.end(run)["outcome"] for run in runs} == {"interrupted"}
    say_figure(f"cancel: {TREES} trees, 0 survivors, gone after at most {slowest:.1f} s")


def test_a_call_that_takes_too_long_leaves_nothing(tmp_path: Path) -> None:
    slowest = 0.0
    with tree_daemon(tmp_path / "proj") as daemon:
        for wave in range(WAVES):
            grove = Grove(daemon.folder, SEED + wave)
            runs = daemon.wave(grove, TREES_A_CALL, timeout_seconds=TIMEOUT_SECONDS)
            assert len(grove.alive()) > CALLS_AT_ONCE * TREES_A_CALL
            results = [daemon.end(run)["result"] for run in runs]
            assert grove.alive() == {}
            assert all(result["metadata"]["timed_out"] for result in results)
            longest = max(result["metadata"]["seconds"] for result in results)
            slowest = max(slowest, longest - TIMEOUT_SECONDS)
    assert slowest <= GONE_SECONDS
    say_figure(f"time-out: {TREES} trees, 0 survivors, gone after at most {slowest:.1f} s")


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_the_end_of_the_daemon_leaves_nothing(ending: signal.Signals, tmp_path: Path) -> None:
    slowest = 0.0
    for wave in range(WAVES):
        with tree_daemon(tmp_path / "proj") as daemon:
            grove = Grove(daemon.folder, SEED + wave, nameless=True)
            daemon.wave(grove, TREES_A_CALL)
            assert len(grove.alive()) > 2 * CALLS_AT_ONCE * TREES_A_CALL
            begun = time.monotonic()
            os.kill(daemon.pid, ending)
            slowest = max(slowest, check_gone(grove, begun))
    say_figure(
        f"daemon {ending.name}: {TREES} trees, 0 survivors, gone after at most {slowest:.1f} s"
    )


def test_the_end_of_the_hub_ends_nothing_and_the_runs_end_as_they_would(tmp_path: Path) -> None:
    folder = tmp_path / "proj"
    folder.mkdir()
    with running_hub() as hub:
        workspace = hub.link.request("POST", "/workspaces", {"path": str(folder)})["id"]
        hub.link.request("POST", f"/workspaces/{workspace}/open", {}, seconds=60)
        with tree_daemon(folder) as daemon:
            grove = Grove(folder, SEED)
            runs = daemon.wave(grove, TREES // CALLS_AT_ONCE, hold="go")
            lasting = grove.alive("sleep 300.")
            hub.process.kill()
            hub.process.wait(10)
            (folder / "go").touch()
            ends = [daemon.end(run) for run in runs]
            assert {end["outcome"] for end in ends} == {"completed"}
            assert not any(end["result"]["is_error"] for end in ends)
            assert set(lasting) <= set(grove.alive())
            stop_daemon(daemon.places)
            check_gone(grove, time.monotonic())
    say_figure(f"hub SIGKILL: {TREES} trees alive, {CALLS_AT_ONCE} of their runs completed")
