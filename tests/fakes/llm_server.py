"""A scripted model server: OpenAI-compatible, real HTTP on loopback, the same bytes every time.

It answers `POST /v1/chat/completions` and `POST /v1/responses` (streamed or not), and
`GET /v1/models`. What it says is decided by a `Scenario`: the one it was made with, changed by
`FakeLlm.set`, changed by a directive in the prompt (`list files [[fake rounds=2 tool=read
path=a.txt]]`). `FakeLlm.script` puts exact replies (made with `llm_wire.py`) in front of all that.
Like a strict vendor it answers 400 to a history in which a call has no result, arguments are no
JSON object or a tool's name is not plain (`llm_rules.py`).

    with FakeLlm(rounds=1, tool="write", path="a.txt") as llm:
        ...  # llm.base_url, llm.requests

`python -m tests.fakes.llm_server --set tokens=20000` runs it by itself, for benchmarks.
"""

import argparse
import logging
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import pytest
import uvicorn
from tests.fakes.llm_app import LlmApp, Request
from tests.fakes.llm_scenario import Scenario
from tests.fakes.llm_wire import Scripted


class _Server(uvicorn.Server):
    """uvicorn that says when it listens."""

    def __init__(self, app: LlmApp) -> None:
        # A cut connection is an exception on purpose; uvicorn would print its traceback.
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().__init__(
            uvicorn.Config(
                app,  # pyright: ignore[reportArgumentType]  # our scopes are plain mappings
                log_config=None,
                access_log=False,
                lifespan="off",
                ws="none",
                timeout_keep_alive=300,
                timeout_graceful_shutdown=1,
            )
        )
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


class FakeLlm:
    """The server in a thread of this process, a context manager."""

    def __init__(
        self,
        *,
        models: tuple[str, ...] = ("fake-model", "fake-small"),
        api_key: str = "",
        port: int = 0,
        **scenario: Any,
    ) -> None:
        self._socket = listen(port)
        self.base_url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.app = self.make_app(Scenario().updated(scenario), models, api_key)
        self._server = _Server(self.app)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def make_app(self, scenario: Scenario, models: tuple[str, ...], api_key: str) -> LlmApp:
        """Make what answers."""
        return LlmApp(scenario, models, api_key)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._server.ready.wait(10):
            raise TimeoutError("the scripted model server did not start")
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(5)
        self._socket.close()

    @property
    def requests(self) -> list[Request]:
        """Every completion request so far."""
        return self.app.requests

    @property
    def environment(self) -> dict[str, str]:
        """The variables that point a daemon here."""
        return {"OPENAI_BASE_URL": self.base_url, "OPENAI_API_KEY": self.app.api_key or "sk-fake"}

    def set(self, **scenario: Any) -> None:
        """Change the scenario of requests to come."""
        self.app.scenario = self.app.scenario.updated(scenario)

    def script(self, *replies: Scripted) -> None:
        """Answer the next completion requests with exactly these."""
        self.app.scripted.extend(replies)

    def release(self) -> None:
        """Let every held or hanging reply go on, also those to come."""
        self.app.release()

    def reset(self) -> None:
        """Forget all: requests, scripts, the changed scenario."""
        self.app.reset()

    def wait_for_request(self, number: int) -> Request:
        """Wait (at most 10 s) for completion request `number`, counted from 1."""
        self._wait(lambda: len(self.requests) >= number, f"request {number}")
        return self.requests[number - 1]

    def wait_for_client_to_leave(self, number: int) -> None:
        """Wait (at most 10 s) until the client of a held request has hung up."""
        self._wait(lambda: self.requests[number - 1].client_left, f"the end of request {number}")

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        with self.app.arrived:
            if not self.app.arrived.wait_for(done, 10):
                raise TimeoutError(f"waited 10 s for {what}")


def listen(port: int = 0) -> socket.socket:
    """Bind loopback; accepted sockets send small writes at once."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.bind(("127.0.0.1", port))
    return sock


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    """A scripted model server. A conftest takes it over: `from … import llm as llm`."""
    with FakeLlm() as server:
        yield server


def main(argv: Iterable[str]) -> None:
    """Serve until interrupted; the first line on stdout is the base URL."""
    parser = argparse.ArgumentParser(description="A scripted OpenAI-compatible server.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE")
    args = parser.parse_args(list(argv))
    scenario = Scenario().updated(dict(pair.split("=", 1) for pair in args.set))
    sock = listen(args.port)
    sys.stdout.write(f"http://127.0.0.1:{sock.getsockname()[1]}/v1\n")
    sys.stdout.flush()
    _Server(LlmApp(scenario, ("fake-model",), "")).run(sockets=[sock])


if __name__ == "__main__":
    main(sys.argv[1:])
