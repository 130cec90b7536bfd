"""P2: a daemon from nothing to its first 200, beside a bare uvicorn with FastAPI."""

import http.client
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.bench.figures import Figure, in_pairs
from tests.bench.workshop import workshop

HELLO = Path(__file__).with_name("hello_world.py")


def cold_start() -> list[Figure]:
    """Measure it."""
    ours, floor = in_pairs(_ours, _floor, 7)
    what = "daemon cold, spawn to first 200 / uvicorn + FastAPI hello world"
    return [Figure("P2", what, ours, floor, "s", 1.8)]


def _ours() -> float:
    begun = time.perf_counter()
    with workshop():  # its client has asked for the health and a proof by then
        return time.perf_counter() - begun


def _floor() -> float:
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
