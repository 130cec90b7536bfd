"""Model servers that want a key, started once a module and as new for each test."""

from collections.abc import Iterator

import pytest
from tests.fakes.copilot_server import FakeCopilot
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.protocol.profiles import ProfileKind

KEY = "sk-right-key"
"""What the fake asker sends."""


@pytest.fixture(scope="module")
def running_llm() -> Iterator[FakeLlm]:
    """The server of `keyed_llm`."""
    with FakeLlm(api_key=KEY) as server:
        yield server


@pytest.fixture
def keyed_llm(running_llm: FakeLlm) -> FakeLlm:
    """A server of chat completions."""
    running_llm.reset()
    return running_llm


@pytest.fixture(scope="module")
def running_kinds() -> Iterator[dict[str, FakeLlm]]:
    """The servers of `kind_llm`."""
    with FakeLlm(api_key=KEY) as server, FakeCopilot() as copilot:
        yield {"chat": server, "responses": server, "copilot": copilot}


@pytest.fixture(params=["chat", "responses", "copilot"])
def kind(request: pytest.FixtureRequest) -> ProfileKind:
    """Each kind of provider in turn."""
    return request.param


@pytest.fixture
def kind_llm(running_kinds: dict[str, FakeLlm], kind: ProfileKind) -> FakeLlm:
    """The server for a provider of that kind."""
    running_kinds[kind].reset()
    return running_kinds[kind]
