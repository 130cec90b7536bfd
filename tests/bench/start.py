"""P1 to P3: a daemon from nothing to its first 200 and to its first turn, warm and cold.

Beside a bare uvicorn with FastAPI; the targets that name peers stand as ratios to that floor, as
both were measured on one machine.
"""

import http.client
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.bench.figures import Figure, in_pairs
from tests.bench.workshop import Workshop, llm_process, project, warm_home, workshop

HELLO = Path(__file__).with_name("hello_world.py")


def cold_start() -> list[Figure]:
    """Measure it."""
    ours, floor = in_pairs(_ours, start_of_hello_world, 7)
    what = "daemon cold, spawn to first 200 / uvicorn + FastAPI hello world"
    return [Figure("P2", what, ours, floor, "s", 1.8)]


def warm_start() -> list[Figure]:
    """Measure a start by a running fork server."""
    with warm_home() as (variables, _):
        ours, floor = in_pairs(lambda: _warm(variables), start_of_hello_world, 11)
    what = "open a project, warm, to first 200 / uvicorn + FastAPI hello world"
    return [Figure("P1", what, ours, floor, "s", 0.2)]


def first_turn() -> list[Figure]:
    """Measure a start and a turn of two tool rounds, with and without a fork server."""
    with llm_process() as llm:
        with warm_home(llm) as (variables, _):
            warm, floor = in_pairs(lambda: _first_turn(project(variables)), start_of_hello_world, 5)
        cold, same = in_pairs(lambda: _first_turn(workshop(llm)), start_of_hello_world, 5)
    return [
        Figure("P3", "ready and first turn, warm / hello world's start", warm, floor, "s", 0.43),
        Figure("P3", "ready and first turn, cold / hello world's start", cold, same, "s", 3.5),
    ]


def _warm(variables: dict[str, str]) -> float:
    begun = time.perf_counter()
    with project(variables):
        return time.perf_counter() - begun


def _first_turn(opening: AbstractContextManager[Workshop]) -> float:
    begun = time.perf_counter()
    with opening as shop:
        end = shop.run(shop.session("yolo"), "go [[fake rounds=2 tool=shell command=true]]")
        taken = time.perf_counter() - begun
    if end["outcome"] != "completed":
        raise RuntimeError(f"the run ended {end}")
    return taken


def _ours() -> float:
    begun = time.perf_counter()
    with workshop():  # its client has asked for the health and a proof by then
        return time.perf_counter() - begun


def start_of_hello_world() -> float:
    """Give the seconds that the floor's server takes to its first answer."""
    begun = time.perf_counter()
    with hello_world():
        return time.perf_counter() - begun


@contextmanager
def hello_world() -> Generator[int]:
    """Run the floor's server; give its pid once it has answered."""
    process = subprocess.Popen([sys.executable, HELLO], stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        _wait_for_200(port)
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def _wait_for_200(port: int) -> None:
    deadline = time.perf_counter() + 20
    while time.perf_counter() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("GET", "/api/health")
            if connection.getresponse().status == 200:
                return
        except ConnectionRefusedError:
            time.sleep(0.002)
        finally:
            connection.close()
    raise TimeoutError("the server did not answer")
