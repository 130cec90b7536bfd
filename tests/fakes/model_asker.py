"""Asking a model through the gateway, as a run does, and collecting what it says."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

import anyio
import pytest
from tests.fakes.copilot_server import FakeCopilot
from tests.fakes.llm_server import FakeLlm

from lararium_daemon.protocol.profiles import ProfileKind
from lararium_daemon.providers.connection import Timeouts
from lararium_daemon.providers.gateway import ModelGateway
from lararium_daemon.providers.provider import (
    Finished,
    ModelEvent,
    ModelMessage,
    ModelRequest,
    Provider,
    ProviderError,
    TextDelta,
    ToolSpec,
)
from lararium_daemon.settings import ProfileSettings, Settings

WRITE = ToolSpec(
    "write_file",
    "Write a file.",
    {"properties": {"path": {}, "content": {}}, "required": ["path", "content"]},
)


@dataclass
class Naps:
    """Waits that take no time and are remembered."""

    seconds: list[float] = field(default_factory=list[float])

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@asynccontextmanager
async def provider(
    llm: FakeLlm,
    naps: Naps | None = None,
    timeouts: Timeouts | None = None,
    kind: ProfileKind = "chat",
    **environment: str,
) -> AsyncGenerator[Provider]:
    """Give a provider; of another kind than chat it is a saved profile's."""
    settings = Settings()
    if kind != "chat":
        saved = ProfileSettings(kind=kind, base_url=llm.base_url, key="env:OPENAI_API_KEY")
        if isinstance(llm, FakeCopilot):
            saved = ProfileSettings(kind=kind, base_url=llm.github_url, key="env:COPILOT_LOGIN")
        settings = Settings(profiles={"P": saved})
    async with ModelGateway(
        settings, llm.environment | environment, timeouts=timeouts, sleep=naps or Naps()
    ) as gateway:
        yield gateway.provider_for("fake-model")


@asynccontextmanager
async def provider_at(
    base_url: str, kind: ProfileKind, **environment: str
) -> AsyncGenerator[Provider]:
    """Give a provider of a saved profile with this address and a key."""
    saved = ProfileSettings(kind=kind, base_url=base_url, key="env:A_KEY", model="fake-model")
    variables = {"A_KEY": "sk-key-of-this-test", **environment}
    async with ModelGateway(Settings(profiles={"P": saved}), variables, sleep=Naps()) as gateway:
        yield gateway.provider_for(None)


async def ask(
    provider: Provider, prompt: str = "hi", events: list[ModelEvent] | None = None
) -> list[ModelEvent]:
    """Ask and collect; `events` keeps what came before a failure."""
    collected: list[ModelEvent] = [] if events is None else events
    request = ModelRequest("", [ModelMessage("user", prompt)], [WRITE])
    with anyio.fail_after(20):
        async with aclosing(provider.stream(request)) as stream:
            async for event in stream:
                collected.append(event)  # noqa: PERF401 - a failure must leave what came before
    return collected


async def fail(
    provider: Provider, prompt: str = "hi", events: list[ModelEvent] | None = None
) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await ask(provider, prompt, events)
    return caught.value


def text_of(events: list[ModelEvent]) -> str:
    return "".join(e.text for e in events if isinstance(e, TextDelta))


def ending(events: list[ModelEvent]) -> Finished:
    """Give the last event, without what differs from run to run."""
    last = events[-1]
    assert isinstance(last, Finished)
    return replace(last, model="", phases=None)
