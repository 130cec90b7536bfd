"""P5: a round with one shell call, beside the least it could cost."""

import http.client
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.figures import Figure, in_pairs
from tests.bench.workshop import Workshop, workshop
from tests.fakes.llm_server import FakeLlm

ROUNDS = 50
REPEATS = 5


def tool_round() -> list[Figure]:
    """Measure it."""
    with FakeLlm() as llm, workshop(llm) as shop, tempfile.TemporaryDirectory() as folder:
        floor = _Floor(llm, Path(folder) / "floor.db")
        ours, least = in_pairs(lambda: _ours(llm, shop), floor.round, REPEATS)
    what = "tool round, journal at FULL / two FULL commits + bash -c true + one POST"
    return [Figure("P5", what, ours * 1000, least * 1000, "ms", 2.0)]


def _ours(llm: FakeLlm, shop: Workshop) -> float:
    before = len(llm.requests)
    end = shop.run(shop.session("yolo"), f"go [[fake rounds={ROUNDS} tool=shell command=true]]")
    if end["outcome"] != "completed":
        raise RuntimeError(f"the run ended {end}")
    arrivals = [request.begun for request in llm.requests[before:]]
    return (arrivals[-1] - arrivals[0]) / ROUNDS


class _Floor:
    """The same work without a product around it."""

    def __init__(self, llm: FakeLlm, database: Path) -> None:
        self._port = urlsplit(llm.base_url).port
        self._database = sqlite3.connect(database, isolation_level=None)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=FULL")
        self._database.execute("CREATE TABLE event (payload BLOB)")

    def round(self) -> float:
        """Give the time of one round."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port)
        body = b'{"model": "fake-model", "messages": [{"role": "user", "content": "hi"}]}'
        begun = time.perf_counter()
        for _ in range(ROUNDS):
            self._commit()
            subprocess.run(["/bin/bash", "-c", "true"], check=True)
            self._commit()
            headers = {"Content-Type": "application/json", "Authorization": "Bearer sk-fake"}
            connection.request("POST", "/v1/chat/completions", body, headers)
            connection.getresponse().read()
        elapsed = time.perf_counter() - begun
        connection.close()
        return elapsed / ROUNDS

    def _commit(self) -> None:
        self._database.execute("BEGIN")
        for _ in range(3):
            self._database.execute("INSERT INTO event VALUES (?)", (b"x" * 1024,))
        self._database.execute("COMMIT")
