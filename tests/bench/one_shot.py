"""P7: `lar run` from a shell to its exit, with the folder's daemon up and without any daemon.

The targets that name peers stand as ratios to a bare server's start, measured on one machine.
"""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench.figures import Figure, in_pairs
from tests.bench.start import start_of_hello_world
from tests.bench.workshop import environment, llm_process, project

from lararium_daemon.client.stop import stop_daemon
from lararium_daemon.system.paths import resolve_paths

LAR = (sys.executable, "-P", "-m", "lararium_daemon", "run")
PROMPT = "say it [[fake text=hello]]"
REPEATS = 7


def one_shot() -> list[Figure]:
    """Measure it."""
    with llm_process() as llm, environment(llm) as variables:
        with project(variables):
            up, floor = in_pairs(lambda: _run(variables), start_of_hello_world, REPEATS)
        cold, same = in_pairs(lambda: _run_and_stop(variables), start_of_hello_world, REPEATS)
    return [
        Figure("P7", "lar run, the daemon up / hello world's start", up, floor, "s", 0.54),
        Figure("P7", "lar run, no daemon / hello world's start", cold, same, "s", 2.95),
    ]


def _run(variables: Mapping[str, str]) -> float:
    begun = time.perf_counter()
    done = subprocess.run(
        [*LAR, PROMPT],
        cwd=Path(variables["HOME"], "project"),
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    taken = time.perf_counter() - begun
    if done.stdout != "hello\n":
        raise RuntimeError(f"it said {done.stdout!r}")
    return taken


def _run_and_stop(variables: Mapping[str, str]) -> float:
    taken = _run(variables)
    stop_daemon(resolve_paths(variables).workspace(Path(variables["HOME"], "project")))
    return taken
